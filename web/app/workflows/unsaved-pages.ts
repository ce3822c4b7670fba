import type { BackendConnection } from '../servers/connection.ts';
import { workflowStrings } from '../strings/workflows.ts';
import { toasts } from '../ui/toasts.ts';
import type { PageState } from './editor/page-state.ts';
import { routeHash } from './route.ts';

/** Pages of workflows that were left with unsaved changes, by server and workflow. */
const unsaved = new Map<BackendConnection, Map<string, PageState>>();

/** Closes the page of a workflow. Its unsaved changes stay until it is opened again. */
export function leavePage(connection: BackendConnection, page: PageState): void {
  page.close();
  if (!page.dirty) return;
  const pages = unsaved.get(connection) ?? new Map<string, PageState>();
  unsaved.set(connection, pages.set(page.id, page));
  const back = () => {
    location.hash = routeHash({ screen: 'workflow', id: page.id, tab: 'nodes' });
  };
  const { keptUnsaved, goBack: label } = workflowStrings.page;
  toasts.show({ text: keptUnsaved, action: { label, run: back } });
}

/** The page that was left with unsaved changes. */
export function takePage(connection: BackendConnection, id: string): PageState | undefined {
  const pages = unsaved.get(connection);
  const page = pages?.get(id);
  pages?.delete(id);
  return page;
}

// Closing the browser's page would lose unsaved changes.
addEventListener('beforeunload', (event) => {
  if ([...unsaved.values()].some((pages) => pages.size > 0)) event.preventDefault();
});
