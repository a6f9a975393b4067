/** JSON where no name stands twice in an object; `JSON.parse` would keep the last one and say nothing. */

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]|:/gs;

/** Reads one JSON text. Bad JSON and repeated names are an error with the reason. */
export function parseStrictJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const open: (Set<string> | null)[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name = JSON.parse(last) as string;
      const names = open.at(-1)!;
      if (names!.has(name)) throw new SyntaxError(`the name "${name}" stands twice in one object`);
      names!.add(name);
    }
    last = token;
  }
  return value;
}
