/** A screen of the workflows view, as its address states it: `#/workflows/…`. */
export type WorkflowRoute =
  | { screen: 'list' }
  | { screen: 'credentials' }
  | { screen: 'workflow'; id: string; tab: 'nodes' | 'canvas' | 'json' | 'executions' }
  | { screen: 'execution'; id: string; execution: string };

const CREDENTIALS = 'credentials';

export function parseRoute(hash: string): WorkflowRoute {
  const [, , id, tab, execution] = hash.split('/').map(decodePart);
  if (!id) return { screen: 'list' };
  if (id === CREDENTIALS) return { screen: 'credentials' };
  if (tab === 'executions' && execution) return { screen: 'execution', id, execution };
  const isTab = tab === 'executions' || tab === 'json' || tab === 'canvas';
  return { screen: 'workflow', id, tab: isTab ? tab : 'nodes' };
}

export function routeHash(place: WorkflowRoute): string {
  const path = (...parts: string[]) => ['#/workflows', ...parts.map(encodeURIComponent)].join('/');
  switch (place.screen) {
    case 'list':
      return path();
    case 'credentials':
      return path(CREDENTIALS);
    case 'workflow':
      return place.tab === 'nodes' ? path(place.id) : path(place.id, place.tab);
    case 'execution':
      return path(place.id, 'executions', place.execution);
  }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
