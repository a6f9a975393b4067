/** The little YAML that a card's front matter needs: maps, lists, strings, numbers, booleans. Strings are quoted. */

export type Yaml = string | number | boolean | readonly Yaml[] | { readonly [key: string]: Yaml };

/** Writes a map as YAML, two spaces a level; a JSON string is a valid YAML string. */
export function toYaml(value: { readonly [key: string]: Yaml }, indent = ''): string {
  return Object.entries(value)
    .map(([key, v]) => entry(key, v, indent))
    .join('');
}

function entry(key: string, value: Yaml, indent: string): string {
  if (typeof value !== 'object') return `${indent}${key}: ${scalar(value)}\n`;
  if (isList(value)) {
    if (value.length === 0) return `${indent}${key}: []\n`;
    return `${indent}${key}:\n${value.map((v) => item(v, indent)).join('')}`;
  }
  return `${indent}${key}:\n${toYaml(value as { [key: string]: Yaml }, `${indent}  `)}`;
}

function item(value: Yaml, indent: string): string {
  if (typeof value !== 'object') return `${indent}- ${scalar(value)}\n`;
  if (isList(value)) throw new TypeError('a list in a list is not needed in a card');
  const body = toYaml(value as { [key: string]: Yaml }, `${indent}  `);
  return `${indent}- ${body.slice(indent.length + 2)}`;
}

const isList = (value: Yaml): value is readonly Yaml[] => Array.isArray(value);
const scalar = (value: string | number | boolean): string => JSON.stringify(value);
