import { html, nothing, type TemplateResult } from 'lit';
import { workflowStrings } from '../strings/workflows.ts';
import { routeHash } from './route.ts';

/** Links to the sections of the workflows view. */
export function sectionLinks(at: 'list' | 'credentials'): TemplateResult {
  const link = (screen: 'list' | 'credentials', label: string) =>
    html`<a href=${routeHash({ screen })} aria-current=${at === screen ? 'page' : nothing}>${label}</a>`;
  return html`<nav class="tabs" aria-label=${workflowStrings.sections}>
    ${link('list', workflowStrings.heading)} ${link('credentials', workflowStrings.credential.heading)}
  </nav>`;
}
