/** The frame that all pages of forms share. */
import { FORM_STYLE } from './style.ts';

/** Text as HTML shows it, also inside of quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Own HTML of a workflow's author, without scripts, frames and handlers of events. */
export function withoutScripts(html: string): string {
  return html
    .replace(/<(script|style|iframe|object|embed|noscript|template)\b[\s\S]*?(<\/\1\s*>|$)/gi, '')
    .replace(/<\/?(script|iframe|object|embed|base|meta|link|form)\b[^>]*>/gi, '')
    .replace(/\son[a-z]+\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, '')
    .replace(/\b(href|src|action|formaction)\s*=\s*(["']?)\s*(javascript|vbscript|data):[^"'\s>]*\2/gi, '');
}

interface DocumentParts {
  title: string;
  /** Own styles of the workflow's author. */
  css: string;
  head?: string;
  body: string;
  attribution: boolean;
}

/** A complete page. */
export function formDocument({ title, css, head = '', body, attribution }: DocumentParts): string {
  // A style cannot end its element and begin another one.
  const own = css.replace(/<\/?style/gi, '');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<title>${escapeHtml(title)}</title>
<style>${FORM_STYLE}</style>
${own === '' ? '' : `<style>${own}</style>`}
${head}
</head>
<body>
<div class="container"><section>
${body}
${attribution ? '<div class="form-attribution">Form made with tabd</div>' : ''}
</section></div>
</body>
</html>
`;
}
