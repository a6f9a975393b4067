/** A value as a JSON document: two spaces, a line end at the end. */
export const jsonDocument = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
