/** The funnel of admissions and patients. */
import { admissionFunnel } from '../../schemas/rxeval-record.js';
import type { StageContext } from '../contract.js';
import { EXCLUSIONS } from './reasons.js';

interface Left {
  readonly admissions: number;
  readonly patients: number;
}

/** Counts what is left after each step; what a step takes is a drop of `admissions`. */
export class Funnel {
  private readonly ctx: StageContext;
  private readonly steps: ({ step: string } & Left)[] = [];
  private readonly taken: string[] = [];

  constructor(ctx: StageContext) {
    this.ctx = ctx;
  }

  /** The next step leaves `left`; `reason` is that of the drop. */
  add(step: string, reason: string | null, left: Left): void {
    const before = this.steps.at(-1);
    this.steps.push({ step, ...left });
    const taken = before ? before.admissions - left.admissions : 0;
    if (!reason || taken === 0) return;
    this.ctx.drop('admissions', reason, taken);
    this.taken.push(`${taken} ${reason}`);
    this.ctx.log(`${reason}: ${taken} admissions, ${left.admissions} left`);
  }

  /** The exclusions of `judged`. */
  async addExclusions(): Promise<void> {
    const steps: [string, string | null][] = [['all admissions', null]];
    for (const [reason, step] of Object.entries(EXCLUSIONS)) steps.push([step, reason]);
    const gone: string[] = [];
    for (const [step, reason] of steps) {
      if (reason) gone.push(`'${reason}'`);
      const left = gone.length > 0 ? `reason is null or reason not in (${gone.join(', ')})` : 'true';
      const [n] = await this.ctx.sql.rows<{ admissions: number; patients: number }>(
        `select count(*) as admissions, count(distinct subject_id) as patients from judged where ${left}`,
      );
      this.add(step, reason, n!);
    }
  }

  /** Admissions that were taken out so far, by reason. */
  words(): string {
    return this.taken.join(', ');
  }

  /** Writes `admission_funnel`. */
  async write(): Promise<void> {
    const rows = this.steps.flatMap(({ step, admissions, patients }, step_n) =>
      Object.entries({ admissions, patients }).map(([unit, n]) => ({
        stage: 'sample-admissions',
        step_n,
        step,
        unit,
        n,
      })),
    );
    await this.ctx.sql.insert('admission_funnel', admissionFunnel, rows);
  }
}
