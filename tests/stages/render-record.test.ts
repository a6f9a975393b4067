/** The record as a reader sees it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderDrug, renderLead, renderProfile, renderTimeline } from '../../stages/lib/render-record.js';

describe('renderLead', () => {
  it('tells days, hours and minutes before the cut', () => {
    expect(renderLead('2150-03-01 08:00:00', '2150-03-03 10:15:59')).toBe('2 d 2 h 15 min');
    expect(renderLead('2150-03-01 08:00:00', '2150-03-01 08:00:30')).toBe('0 min');
    expect(renderLead('2150-02-28 23:30:00', '2150-03-01 00:30:00')).toBe('1 h');
    expect(renderLead('2150-03-01 08:00:00', '2150-03-02 08:00:00')).toBe('1 d');
  });

  it('refuses what comes after the cut', () => {
    expect(() => renderLead('2150-03-01 08:00:01', '2150-03-01 08:00:00')).toThrow(/after the cut/);
  });

  it('loses no whole minute, over any change of clocks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (minutes) => {
        const cut = Date.UTC(2150, 10, 5, 3, 30);
        const text = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
        const words = renderLead(text(cut - minutes * 60_000), text(cut));
        const part = (unit: string): number => Number(new RegExp(`(\\d+) ${unit}\\b`).exec(words)?.[1] ?? 0);
        expect(part('d') * 1440 + part('h') * 60 + part('min')).toBe(minutes);
      }),
    );
  });
});

describe('renderProfile', () => {
  const sections = [
    {
      section: 'allergies',
      text: 'Penicillins / codeine',
      spans: [
        { span_id: 'S2', text: 'codeine', start_n: 14 },
        { span_id: 'S1', text: 'Penicillins', start_n: 0 },
      ],
    },
  ];

  it('has every section in fixed order, Unknown where nothing is on record', () => {
    const text = renderProfile(sections);
    expect(text).toContain('Allergies:\nPenicillins / codeine');
    expect(text).toContain('Family History:\nUnknown');
    expect(text.indexOf('Allergies')).toBeLessThan(text.indexOf('Chief Complaint'));
    expect(text).not.toContain('S1');
  });

  it('names what may be cited, a line each, in order of place', () => {
    expect(renderProfile(sections, true)).toContain('Allergies:\n[S1] Penicillins\n[S2] codeine');
  });
});

describe('renderTimeline', () => {
  const event = {
    event_id: 'E1',
    kind: 'radiology',
    available_at: '2150-03-01 08:00:00',
    text: 'FINDINGS: clear\nIMPRESSION: normal',
  };

  it('indents further lines and says what was left out', () => {
    expect(renderTimeline([event], '2150-03-01 09:00:00', { dropped_n: 1 })).toBe(
      '(1 earlier event left out for length)\n1 h before | imaging | FINDINGS: clear\n    IMPRESSION: normal',
    );
    expect(renderTimeline([event], '2150-03-01 09:00:00', { with_ids: true })).toMatch(/^\[E1\] 1 h before/);
    expect(renderTimeline([], '2150-03-01 09:00:00')).toBe('(nothing on record)');
  });
});

describe('renderDrug', () => {
  it('leaves out what is not recorded', () => {
    expect(renderDrug({ drug: 'Furosemide', dose_text: '40 mg', route: 'IV' })).toBe('Furosemide; 40 mg; IV');
    expect(renderDrug({ drug: 'NORepinephrine', dose_text: null, route: 'IV DRIP' })).toBe(
      'NORepinephrine; IV DRIP',
    );
    expect(renderDrug({ drug: 'Sodium  Chloride ', dose_text: ' ', route: null })).toBe('Sodium Chloride');
  });
});
