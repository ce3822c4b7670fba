/** A question as the HTML of a mail. */
import { escapeHtml } from '../../../forms/render/document.ts';
import type { Button, Question } from './question.ts';

const CARD =
  'max-width:500px;margin:0 auto;padding:24px;border:1px solid #dbdfe7;border-radius:8px;background:#fff;font-family:Arial,sans-serif;color:#2c2c2c';
const BUTTON = 'display:inline-block;margin:4px;padding:12px 24px;border-radius:4px;text-decoration:none';
const PRIMARY = `${BUTTON};background:#1f5eff;color:#fff`;
const SECONDARY = `${BUTTON};background:#fff;color:#4a4a4a;border:1px solid #d1d1d1`;

export function questionHtml({ message, buttons }: Omit<Question, 'subject'>): string {
  const text = escapeHtml(message).replace(/\n/g, '<br>');
  return `<div style="${CARD}"><p style="white-space:pre-wrap">${text}</p><p>${buttons.map(buttonHtml).join('\n')}</p></div>`;
}

function buttonHtml({ label, url, isPrimary }: Button): string {
  const style = isPrimary ? PRIMARY : SECONDARY;
  return `<a href="${escapeHtml(url)}" target="_blank" style="${style}">${escapeHtml(label)}</a>`;
}
