import type { Preview, WorkflowDraft, WorkflowNode } from '../api-types.ts';
import type { WorkflowClient } from '../workflow-client.ts';
import type { Path } from './draft.ts';

/** What the expressions of the chosen node are worth, as they are typed. */
export class Previews {
  #told: Record<string, Preview> = {};
  #of = '';
  #asking: AbortController | undefined;

  constructor(
    private readonly client: Pick<WorkflowClient, 'preview'>,
    private readonly changed: () => void,
  ) {}

  /** Undefined until it is known. */
  at(path: Path): Preview | undefined {
    return this.#told[JSON.stringify(path)];
  }

  ask(draft: WorkflowDraft, node: WorkflowNode | undefined, executionId: string | undefined): void {
    const values = node ? expressionsIn(node.parameters) : {};
    const of = JSON.stringify([node?.name, values, executionId]);
    if (of === this.#of) return;
    this.#of = of;
    this.#asking?.abort();
    if (!node || Object.keys(values).length === 0) {
      this.#told = {};
      this.changed();
      return;
    }
    const asking = new AbortController();
    this.#asking = asking;
    this.client.preview(draft, node.name, values, executionId, asking.signal).then(
      (told) => {
        if (asking.signal.aborted) return;
        this.#told = told;
        this.changed();
      },
      () => {
        // Nothing is shown, and a later question may be answered.
        if (!asking.signal.aborted) this.#of = '';
      },
    );
  }

  close(): void {
    this.#asking?.abort();
  }
}

/** Every stored text that begins with `=`, by its path as JSON. */
export function expressionsIn(value: unknown, path: Path = []): Record<string, string> {
  if (typeof value === 'string') return value.startsWith('=') ? { [JSON.stringify(path)]: value } : {};
  if (typeof value !== 'object' || value === null) return {};
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return Object.assign({}, ...entries.map(([key, inner]) => expressionsIn(inner, [...path, key])));
}
