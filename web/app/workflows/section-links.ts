import { html, nothing, type TemplateResult } from 'lit';
import { words } from '../strings/workflows.ts';
import { hashOf } from './route.ts';

/** Links between the parts of these screens. */
export function sections(at: 'list' | 'credentials'): TemplateResult {
  const link = (screen: 'list' | 'credentials', label: string) =>
    html`<a href=${hashOf({ screen })} aria-current=${at === screen ? 'page' : nothing}>${label}</a>`;
  return html`<nav class="tabs" aria-label=${words.sections}>
    ${link('list', words.heading)} ${link('credentials', words.credential.heading)}
  </nav>`;
}
