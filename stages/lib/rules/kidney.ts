/** Kidney function from serum creatinine: two formulas that are never mixed. */

/**
 * Creatinine clearance in mL/min by Cockcroft and Gault (Nephron 1976;16:31-41).
 * `creatinine` in mg/dL, `weight` in kg, `age` in completed years.
 */
export function cockcroftGault(p: {
  readonly age: number;
  readonly weight: number;
  readonly creatinine: number;
  readonly sex: 'female' | 'male';
}): number {
  const male = ((140 - p.age) * p.weight) / (72 * p.creatinine);
  return p.sex === 'female' ? male * 0.85 : male;
}

/**
 * eGFR in mL/min/1.73 m2 by the CKD-EPI creatinine equation of 2021, without race (N Engl J Med 2021;385:1737-49).
 * `creatinine` in mg/dL, `age` in completed years; adults only.
 */
export function ckdEpi2021(p: {
  readonly age: number;
  readonly creatinine: number;
  readonly sex: 'female' | 'male';
}): number {
  const [kappa, alpha, factor] = p.sex === 'female' ? [0.7, -0.241, 1.012] : [0.9, -0.302, 1];
  const ratio = p.creatinine / kappa;
  return 142 * Math.min(ratio, 1) ** alpha * Math.max(ratio, 1) ** -1.2 * 0.9938 ** p.age * factor;
}

/** CKD stage (KDIGO G category) of an eGFR in mL/min/1.73 m2. */
export function ckdStage(egfr: number): '1' | '2' | '3a' | '3b' | '4' | '5' {
  if (egfr >= 90) return '1';
  if (egfr >= 60) return '2';
  if (egfr >= 45) return '3a';
  if (egfr >= 30) return '3b';
  return egfr >= 15 ? '4' : '5';
}
