/** Finds who answers a method and path. */
import { isVariable, type Registration } from './registration.ts';

export interface RegistrationMatch {
  registration: Registration;
  params: Record<string, string>;
}

/** Two entries that one call could be meant for. */
export interface PathConflict {
  asked: Registration;
  taken: Registration;
  method: string;
}

/**
 * A static address goes before one with variables. Among those the ones named by their `webhookId` come first, then
 * those with most fixed parts, then the older. Variables match by position, each exactly one part that is not empty.
 */
export class RegistrationTable {
  readonly #static = new Map<string, Registration[]>();
  /** By number of parts, most fixed parts first. */
  readonly #dynamic = new Map<number, Registration[]>();
  readonly #byWorkflow = new Map<string, Registration[]>();

  registrations(workflowId: string): Registration[] {
    return this.#byWorkflow.get(workflowId) ?? [];
  }

  /** Replaces what the workflow had. */
  set(workflowId: string, entries: Registration[]): void {
    this.delete(workflowId);
    this.#byWorkflow.set(workflowId, entries);
    for (const entry of entries) {
      const list = this.#listOf(entry);
      list.push(entry);
      if (entry.dynamic) list.sort((a, b) => fixedParts(b) - fixedParts(a));
    }
  }

  delete(workflowId: string): boolean {
    for (const entry of this.registrations(workflowId)) {
      const list = this.#listOf(entry);
      list.splice(list.indexOf(entry), 1);
      if (list.length > 0) continue;
      if (entry.dynamic) this.#dynamic.delete(entry.segments.length);
      else this.#static.delete(entry.segments.join('/'));
    }
    return this.#byWorkflow.delete(workflowId);
  }

  /** `path`: decoded, without slashes around it. */
  match(method: string, path: string): RegistrationMatch | undefined {
    return this.#matches(path).find(({ registration }) => registration.methods.includes(method));
  }

  /** Methods that the path is answered to, in the order of the nodes. */
  methods(path: string): string[] {
    return [...new Set(this.#matches(path).flatMap(({ registration }) => registration.methods))];
  }

  /** Addresses among `entries` that another workflow has, or that two of them share. */
  conflicts(workflowId: string, entries: Registration[]): PathConflict[] {
    const found: PathConflict[] = [];
    for (const [index, asked] of entries.entries()) {
      const others = (this.#existing(asked) ?? []).filter(({ workflow }) => workflow.id !== workflowId);
      const own = entries.slice(0, index);
      for (const taken of [...others, ...own]) {
        const method = asked.methods.find((one) => taken.methods.includes(one));
        if (method !== undefined && sameShape(asked, taken)) found.push({ asked, taken, method });
      }
    }
    return found;
  }

  #matches(path: string): RegistrationMatch[] {
    const found: RegistrationMatch[] = (this.#static.get(path) ?? []).map((registration) => ({
      registration,
      params: {},
    }));
    if (this.#dynamic.size === 0) return found;
    const parts = path.split('/');
    const [id, ...rest] = parts;
    for (const entry of this.#dynamic.get(rest.length) ?? []) {
      const params = entry.node.webhookId === id ? paramsOf(entry, rest) : undefined;
      if (params) found.push({ registration: entry, params });
    }
    for (const entry of this.#dynamic.get(parts.length) ?? []) {
      const params = paramsOf(entry, parts);
      if (params) found.push({ registration: entry, params });
    }
    return found;
  }

  #existing({ dynamic, segments }: Registration): Registration[] | undefined {
    return dynamic ? this.#dynamic.get(segments.length) : this.#static.get(segments.join('/'));
  }

  #listOf(entry: Registration): Registration[] {
    const known = this.#existing(entry);
    if (known) return known;
    const made: Registration[] = [];
    if (entry.dynamic) this.#dynamic.set(entry.segments.length, made);
    else this.#static.set(entry.segments.join('/'), made);
    return made;
  }
}

function fixedParts({ segments }: Registration): number {
  return segments.filter((segment) => !isVariable(segment)).length;
}

function paramsOf({ segments }: Registration, parts: string[]): Record<string, string> | undefined {
  const params: [string, string][] = [];
  for (const [index, segment] of segments.entries()) {
    const part = parts[index]!;
    if (!isVariable(segment)) {
      if (segment !== part) return undefined;
    } else {
      if (part === '') return undefined;
      params.push([segment.slice(1), part]);
    }
  }
  return Object.fromEntries(params);
}

/** The names of variables make no difference to a caller. */
function sameShape(a: Registration, b: Registration): boolean {
  return (
    a.segments.length === b.segments.length &&
    a.segments.every((segment, index) => {
      const other = b.segments[index]!;
      return isVariable(segment) ? isVariable(other) : segment === other;
    })
  );
}
