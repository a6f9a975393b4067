/** From the voices of several people to one answer. */

export interface Tally {
  /** The ballot that more than half of the people, and at least two, gave; null without one. */
  readonly winner: string | null;
  /** People by ballot, ascending. */
  readonly voices: ReadonlyMap<string, readonly string[]>;
  readonly people_n: number;
}

/** Counts one ballot a person. Two who agree decide; a third settles a disagreement; an even split stays open. */
export function tally(ballots: ReadonlyMap<string, string>): Tally {
  const voices = new Map<string, string[]>();
  for (const [person, ballot] of [...ballots].sort(([a], [b]) => (a < b ? -1 : 1)))
    voices.set(ballot, [...(voices.get(ballot) ?? []), person]);
  const winner = [...voices].find(([, people]) => people.length >= 2 && people.length * 2 > ballots.size);
  return { winner: winner?.[0] ?? null, voices, people_n: ballots.size };
}
