/** Reads and writes tables in HTML. */
import { cellText, type Table } from './table.ts';

/** A page with one table. */
export function writeHtml({ columns, rows }: Table, headerRow: boolean): string {
  const line = (cells: unknown[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cellText(cell))}</${tag}>`).join('')}</tr>`;
  const lines = [...(headerRow ? [line(columns, 'th')] : []), ...rows.map((row) => line(row, 'td'))];
  return `<!DOCTYPE html><html><head><meta charset="utf-8"><title>Table</title></head><body><table>${lines.join('')}</table></body></html>`;
}

/** The text of the cells of the first table. */
export function readHtml(html: string): string[][] {
  const table = /<table\b[^>]*>([\s\S]*?)<\/table\s*>/i.exec(html)?.[1] ?? '';
  return table
    .split(/<tr\b[^>]*>/i)
    .slice(1)
    .map((row) =>
      row
        .replace(/<\/tr\s*>[\s\S]*$/i, '')
        .split(/<t[dh]\b[^>]*>/i)
        .slice(1)
        .map(contentOf),
    );
}

function contentOf(cell: string): string {
  const text = cell
    .replace(/<\/t[dh]\s*>[\s\S]*$/i, '')
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(/<[^>]*>/g, '');
  return text
    .replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (reference, decimal, hex, name) => {
      const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
      if (code !== undefined) return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : reference;
      return ENTITIES[String(name).toLowerCase()] ?? reference;
    })
    .trim();
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
