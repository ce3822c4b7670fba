import type { Preview, WorkflowDraft, WorkflowNode } from '../api-types.ts';
import type { WorkflowClient } from '../workflow-client.ts';
import type { ParameterPath } from './draft.ts';

/** What the expressions of the chosen node are worth, as they are typed. */
export class Previews {
  #previews: Record<string, Preview> = {};
  #requestKey = '';
  #request: AbortController | undefined;

  constructor(
    private readonly client: Pick<WorkflowClient, 'preview'>,
    private readonly changed: () => void,
  ) {}

  /** Undefined until it is known. */
  get(path: ParameterPath): Preview | undefined {
    return this.#previews[JSON.stringify(path)];
  }

  request(draft: WorkflowDraft, node: WorkflowNode | undefined, executionId: string | undefined): void {
    const values = node ? expressionsIn(node.parameters) : {};
    const of = JSON.stringify([node?.name, values, executionId]);
    if (of === this.#requestKey) return;
    this.#requestKey = of;
    this.#request?.abort();
    if (!node || Object.keys(values).length === 0) {
      this.#previews = {};
      this.changed();
      return;
    }
    const asking = new AbortController();
    this.#request = asking;
    this.client.preview(draft, node.name, values, executionId, asking.signal).then(
      (previews) => {
        if (asking.signal.aborted) return;
        this.#previews = previews;
        this.changed();
      },
      () => {
        // Nothing is shown, and a later question may be answered.
        if (!asking.signal.aborted) this.#requestKey = '';
      },
    );
  }

  close(): void {
    this.#request?.abort();
  }
}

/** Every stored text that begins with `=`, by its path as JSON. */
export function expressionsIn(value: unknown, path: ParameterPath = []): Record<string, string> {
  if (typeof value === 'string') return value.startsWith('=') ? { [JSON.stringify(path)]: value } : {};
  if (typeof value !== 'object' || value === null) return {};
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return Object.assign({}, ...entries.map(([key, inner]) => expressionsIn(inner, [...path, key])));
}
