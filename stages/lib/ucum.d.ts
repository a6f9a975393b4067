/** The part of the UCUM library that is used here; it has no types of its own. */
declare module '@lhncbc/ucum-lhc' {
  interface Conversion {
    readonly status: 'succeeded' | 'failed' | 'error';
    readonly toVal: number | null;
    readonly msg: readonly string[];
  }
  interface Utils {
    convertUnitTo(
      from: string,
      value: number,
      to: string,
      options?: { readonly molecularWeight?: number; readonly charge?: number },
    ): Conversion;
    validateUnitString(unit: string): { readonly status: 'valid' | 'invalid' | 'error' };
  }
  export const UcumLhcUtils: { getInstance(): Utils };
}
