/** Invented inputevents, outputevents and procedureevents. */
import { type Add, clock, ids, moment, quantities, type Row, type Visit } from './common.js';
import type { Dice } from './dice.js';

const INPUTS = quantities('icu.inputevents').map((q) => q.itemid);
const PRESSOR_ITEMS = [221_906, 221_289, 221_662, 221_653, 221_749, 229_630, 229_632, 221_986];

/** Infusions and boluses that cross the window, carriers, rewritten orders. */
export function inventInputs(add: Add, v: Visit): void {
  const { d } = v;
  if (d.chance(0.1)) return;
  for (const itemid of INPUTS) {
    if (d.chance(0.5)) continue;
    for (let i = 0; i < d.whole(1, 3); i++) pushInput(add, v, itemid);
  }
}

function pushInput(add: Add, v: Visit, itemid: number): void {
  const { d } = v;
  const start = moment(v) - d.pick([0, 0, 30, 600]);
  const orderid = add.next();
  const volume = d.whole(1, 90);
  const row = {
    ...ids(v),
    starttime: clock(start),
    endtime: clock(start + d.pick([1, 1, 30, 60, 240, 3000])),
    storetime: d.pick([clock(start + 5), null]),
    itemid,
    amount: d.pick([volume, volume, volume / 4, 0]),
    amountuom: d.chance(0.01) ? 'L' : d.pick(['ml', 'ml', 'mg', 'units', 'mEq', 'mEq.', 'grams', 'dose']),
    ...rate(itemid, d),
    orderid,
    linkorderid: orderid,
    ordercategoryname: '01-Drips',
    ordercomponenttypedescription: 'Main order parameter',
    ordercategorydescription: 'Continuous Med',
    patientweight: d.pick([80, 1, 0, 62.5]),
    statusdescription: d.pick(['FinishedRunning', 'ChangeDose/Rate', 'Paused', 'Rewritten']),
  };
  add('icu.inputevents', row);
  if (d.chance(0.1)) add('icu.inputevents', row);
  if (d.chance(0.3)) {
    const carrier = {
      ...row,
      itemid: 225_158,
      rate: null,
      rateuom: null,
      amountuom: 'ml',
      ordercomponenttypedescription: 'Mixed solution',
    };
    add('icu.inputevents', carrier);
  }
}

function rate(itemid: number, d: Dice): Row {
  if (d.chance(0.15)) return { rate: null, rateuom: null };
  if (itemid === 222_315)
    return { rate: d.pick([0.04, 1.2, 2.4, 0]), rateuom: d.pick(['units/min', 'units/hour']) };
  if (!PRESSOR_ITEMS.includes(itemid)) return { rate: d.whole(1, 200), rateuom: 'mL/hour' };
  const dose = d.pick([0.05, 0.1, 0.11, 0.5, 3, 5, 5.1, 16, 45, 0]);
  if (itemid === 221_906 && d.chance(0.3)) return { rate: dose / 100, rateuom: 'mg/kg/min' };
  if (itemid === 221_749 && d.chance(0.3)) return { rate: dose * 40, rateuom: 'mcg/min' };
  return { rate: dose, rateuom: 'mcg/kg/min' };
}

const OUTPUTS = quantities('icu.outputevents').map((q) => q.itemid);

/** Urine and drains, repeated and too large rows among them. */
export function inventOutputs(add: Add, v: Visit): void {
  const { d } = v;
  if (d.chance(0.1)) return;
  for (const itemid of [...OUTPUTS, 226_559, 226_559, 226_559]) {
    if (d.chance(0.6)) continue;
    for (let i = 0; i < d.whole(1, 4); i++) {
      const minute = moment(v);
      const value = d.pick([30, 60, 120, 400, 0, 8000, 5000, 75.5, 1200]);
      const row = {
        ...ids(v),
        charttime: clock(minute),
        storetime: clock(minute + d.pick([2, 600])),
        itemid,
        value,
        valueuom: 'ml',
      };
      add('icu.outputevents', row);
      if (d.chance(0.15)) add('icu.outputevents', { ...row, storetime: clock(minute + 9) });
    }
  }
}

const PROCEDURES = quantities('icu.procedureevents')
  .map((q) => q.itemid)
  .filter((itemid) => ![223_849, 229_314, 226_732].includes(itemid));

/** Procedures that cross the window. */
export function inventProcedures(add: Add, v: Visit): void {
  const { d } = v;
  if (d.chance(0.1)) return;
  for (const itemid of PROCEDURES) {
    if (d.chance(0.7)) continue;
    for (let i = 0; i < d.whole(1, 2); i++) {
      const start = moment(v) - d.pick([0, 0, 300, 3000]);
      const orderid = add.next();
      add('icu.procedureevents', {
        ...ids(v),
        starttime: clock(start),
        endtime: clock(start + d.pick([1, 60, 600, 3000])),
        storetime: clock(start + 10),
        itemid,
        value: d.pick([60, 1, 2.5]),
        valueuom: d.pick(['min', 'hour', 'day']),
        orderid,
        linkorderid: orderid,
        statusdescription: d.pick(['FinishedRunning', 'Stopped', 'Rewritten']),
      });
    }
  }
}
