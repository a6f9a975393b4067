/** Faults of dirty_rows.csv on inputevents and outputevents. */
import { plants, record, type Stay, type Subject } from './context.js';
import type { Giving } from './inputs.js';
import { round } from './math.js';
import type { Draining } from './outputs.js';
import type { Stream } from './rng.js';
import type { Cell, InputRow, OutputRow } from './rows.js';
import { HOUR, MINUTE, timeText } from './time.js';

/** Plants D54, D55, D57 to D59 and D62. */
export function plantTreatmentFaults(s: Subject, stay: Stay, g: Giving, o: Draining): void {
  const r = s.stream('treatment faults');
  const note = (
    id: string,
    row: InputRow,
    column: string,
    clean: Cell,
    dirty: Cell,
    expectation?: string,
  ): void =>
    record(s, id, {
      table: 'icu.inputevents',
      stay_id: stay.stay_id,
      key: `orderid=${row.orderid};starttime=${timeText(row.starttime)}`,
      column,
      clean_value: clean,
      dirty_value: dirty,
      ...(expectation ? { expectation } : {}),
    });
  if (plants(s, 'D54')) rateUnit(g, r, note);
  if (plants(s, 'D55')) {
    const row = g.rows.find((x) => x.itemid === 221749)!;
    const perKg = row.rate!;
    row.rate = round(perKg * stay.weight, 3);
    row.rateuom = 'mcg/min';
    row.patientweight = r.int(0, 1);
    note(
      'D55',
      row,
      'patientweight',
      stay.weight,
      row.patientweight,
      `rate ${row.rate} mcg/min over the stay's ${stay.weight} kg`,
    );
  }
  if (plants(s, 'D57')) {
    const row = g.rows[0] ?? salineFlush(g, stay, r);
    g.rows.push({ ...row, statusdescription: 'Rewritten' });
    note('D57', row, 'statusdescription', null, 'Rewritten');
  }
  if (plants(s, 'D62')) {
    const row = salineFlush(g, stay, r);
    row.endtime = row.starttime - r.int(5, 120) * MINUTE;
    note('D62', row, 'endtime', null, timeText(row.endtime));
  }
  plantOutputFaults(s, stay, o, r);
}

function salineFlush(g: Giving, stay: Stay, r: Stream): InputRow {
  const start = stay.t0 + r.int(60, 900) * MINUTE;
  return g.give({ itemid: 225158, form: 'bolus', start, end: start + MINUTE, amount: 50, unit: 'ml' });
}

/** D54: units in which pumps write; the stay has all three pressors. */
function rateUnit(
  g: Giving,
  r: Stream,
  note: (id: string, row: InputRow, column: string, clean: Cell, dirty: Cell, expectation?: string) => void,
): void {
  const of = (itemid: number): InputRow => g.rows.find((x) => x.itemid === itemid)!;
  const kind = r.int(0, 2);
  const row = of([221906, 221749, 222315][kind]!);
  const clean = `${row.rate} ${row.rateuom}`;
  if (kind === 0) {
    row.rateuom = 'mg/kg/min';
    row.patientweight = 1;
  } else if (kind === 1) {
    row.rate = round(row.rate! * row.patientweight, 3);
    row.rateuom = 'mcg/min';
  } else {
    row.rate = round(row.rate! / 60, 6);
    row.rateuom = 'units/min';
  }
  note('D54', row, 'rateuom', clean, `${row.rate} ${row.rateuom}`, `read as ${clean}`);
}

function plantOutputFaults(s: Subject, stay: Stay, o: Draining, r: Stream): void {
  const note = (id: string, row: OutputRow, expectation?: string): void =>
    record(s, id, {
      table: 'icu.outputevents',
      stay_id: stay.stay_id,
      key: `stay_id=${stay.stay_id};itemid=${row.itemid};charttime=${timeText(row.charttime)}`,
      column: 'value',
      clean_value: null,
      dirty_value: row.value,
      ...(expectation ? { expectation } : {}),
    });
  const t = Math.ceil(stay.t0 / HOUR) * HOUR + r.int(1, 10) * HOUR;
  if (plants(s, 'D58')) {
    const into = o.add(t, 227488, r.int(8, 20) * 100);
    const out = o.add(t, 227489, into.value + r.int(50, 400));
    note('D58', into, `counts as ${out.value - into.value} mL with ${out.value} mL of 227489`);
  }
  if (plants(s, 'D59')) note('D59', o.add(t + 11 * MINUTE, 226559, 8000));
}
