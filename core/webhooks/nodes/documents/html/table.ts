/** Items as a table in HTML, with the styles of the real system. */
import type { JsonObject } from '#core/workflow-format';

const TABLE = "style='border-spacing:0; font-family:helvetica,arial,sans-serif'";
const HEAD =
  "style='margin:0; padding:7px 20px 7px 0px; border-bottom:1px solid #eee; text-align:left; color:#888; font-weight:normal'";
const CELL = "style='margin:0; padding:7px 20px 7px 0px; border-bottom:1px solid #eee'";

/** The options of the node. Attributes are text such as `class="x"`. */
export interface HtmlTableOptions {
  capitalize?: boolean;
  customStyling?: boolean;
  caption?: string;
  tableAttributes?: string;
  headerAttributes?: string;
  rowAttributes?: string;
  cellAttributes?: string;
}

/** One column for each field of any item. Values are not escaped, as in the real system: they may be HTML. */
export function htmlTable(rows: JsonObject[], options: HtmlTableOptions): string {
  const own = options.customStyling === true;
  const style = (text: string) => (own ? '' : text);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const title = (name: string) => (options.capitalize ? capitalized(name) : name);
  const caption = options.caption ? `<caption>${options.caption}</caption>` : '';
  const heads = names.map((name) => `<th>${title(name)}</th>`).join('');
  const { tableAttributes = '', headerAttributes = '', rowAttributes = '', cellAttributes = '' } = options;
  const cell = (value: unknown) =>
    typeof value === 'boolean' ? `<input type='checkbox' ${value ? 'checked' : ''}/>` : String(value ?? '');
  const body = rows.map((row) => {
    const cells = names.map((name) => `<td ${style(CELL)} ${cellAttributes}>${cell(row[name])}</td>`);
    return `<tr ${''} ${rowAttributes}>${cells.join('')}</tr>`.replace('<tr   ', '<tr  ');
  });
  return (
    `<table ${style(TABLE)} ${tableAttributes}>${caption}` +
    `<thead ${style(HEAD)} ${headerAttributes}><tr>${heads}</tr></thead><tbody>${body.join('')}</tbody></table>`
  );
}

/** `first_name` is `First Name`. */
function capitalized(name: string): string {
  return name
    .split('_')
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join(' ');
}
