/** Renders the last pages of forms. */
import type { FormEnding } from '../form-page.ts';
import { escapeHtml, formDocument, withoutScripts } from './document.ts';

/** The page of a node that ends a form. */
export function renderEnding(ending: FormEnding): string {
  const { respondWith, css, attribution } = ending;
  const formTitle = ending.formTitle || 'Form';
  if (respondWith === 'showText') {
    return formDocument({ title: formTitle, css, body: ending.responseText, attribution: false });
  }
  if (respondWith === 'redirect') {
    const url = /^https?:\/\//i.test(ending.redirectUrl) ? escapeHtml(ending.redirectUrl) : '';
    const head = url === '' ? '' : `<meta http-equiv="refresh" content="0;url=${url}">`;
    const body = url === '' ? '' : `<div class="card"><p>Continue at <a href="${url}">${url}</a></p></div>`;
    return formDocument({ title: formTitle, css, head, body, attribution: false });
  }
  const { file, title, message } = ending;
  const download = file
    ? `<p><a id="download" download="${escapeHtml(file.name)}" href="data:${escapeHtml(file.type)};base64,${file.base64}">Download ${escapeHtml(file.name)}</a></p>
<script>document.getElementById('download').click();</script>`
    : '';
  const body = messageCard(title, withoutScripts(message).replace(/\n/g, '<br>'), download);
  return formDocument({ title: ending.formTitle || title, css, body, attribution });
}

/** The page of an execution that has ended without a page of its own. */
export function renderEnded(failed: boolean): string {
  const title = failed ? 'Problem submitting response' : 'Form Submitted';
  const text = failed ? 'The workflow failed. Please try again later.' : 'Your response has been recorded';
  return formDocument({ title, css: '', body: messageCard(title, text), attribution: true });
}

/** The page of an execution that still works. It loads itself again. */
export function renderBusy(): string {
  const head = '<meta http-equiv="refresh" content="2">';
  const body = messageCard('Please wait', 'The next page is being prepared.');
  return formDocument({ title: 'Please wait', css: '', head, body, attribution: true });
}

/** A page with a title and a text. */
export function renderMessage(title: string, text: string): string {
  return formDocument({ title, css: '', body: messageCard(title, escapeHtml(text)), attribution: true });
}

/** A page for an address that has no form. */
export function renderMissing(title: string, text: string): string {
  return formDocument({ title, css: '', body: messageCard(title, text), attribution: false });
}

/** @param html the text, as HTML */
function messageCard(title: string, html: string, more = ''): string {
  return `<div class="card"><div class="form-header"><h1>${escapeHtml(title)}</h1><p>${html}</p></div>${more}</div>`;
}
