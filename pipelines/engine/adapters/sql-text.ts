/** Names and texts as SQL writes them. */

/** Quotes an identifier. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** Quotes a text literal (paths with apostrophes included). */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
