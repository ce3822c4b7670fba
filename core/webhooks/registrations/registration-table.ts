import { isVariable, type Registration } from './registration.ts';

export interface RegistrationMatch {
  registration: Registration;
  /** Values of the path's variables. */
  params: Record<string, string>;
}

/** Two registrations that one call could match. */
export interface PathConflict {
  requested: Registration;
  existing: Registration;
  method: string;
}

/**
 * Finds the registration of a method and path. The order of precedence:
 * paths without variables; paths that begin with the `webhookId`; paths with more fixed segments; older ones.
 * A variable matches exactly one segment that is not empty.
 */
export class RegistrationTable {
  /** Registrations without variables, by path. */
  readonly #static = new Map<string, Registration[]>();
  /**
   * Registrations with variables, by their number of segments. Those with the most fixed segments come first in a list.
   */
  readonly #dynamic = new Map<number, Registration[]>();
  readonly #byWorkflow = new Map<string, Registration[]>();

  registrations(workflowId: string): Registration[] {
    return this.#byWorkflow.get(workflowId) ?? [];
  }

  /** Replaces the registrations of a workflow. */
  set(workflowId: string, registrations: Registration[]): void {
    this.delete(workflowId);
    this.#byWorkflow.set(workflowId, registrations);
    for (const registration of registrations) {
      const list = this.#listOf(registration);
      list.push(registration);
      if (registration.dynamic) list.sort((a, b) => fixedSegments(b) - fixedSegments(a));
    }
  }

  /** @returns whether the workflow had registrations */
  delete(workflowId: string): boolean {
    for (const registration of this.registrations(workflowId)) {
      const list = this.#listOf(registration);
      list.splice(list.indexOf(registration), 1);
      if (list.length > 0) continue;
      if (registration.dynamic) this.#dynamic.delete(registration.segments.length);
      else this.#static.delete(registration.segments.join('/'));
    }
    return this.#byWorkflow.delete(workflowId);
  }

  /** @param path decoded, without slashes around it */
  match(method: string, path: string, kind: Registration['kind'] = 'webhook'): RegistrationMatch | undefined {
    return this.#matches(path, kind).find(({ registration }) => registration.methods.includes(method));
  }

  /** The methods that a path is registered for, in the order of the nodes. */
  methods(path: string, kind: Registration['kind'] = 'webhook'): string[] {
    return [...new Set(this.#matches(path, kind).flatMap(({ registration }) => registration.methods))];
  }

  /** Conflicts of a workflow's new registrations with other workflows, and among themselves. */
  conflicts(workflowId: string, registrations: Registration[]): PathConflict[] {
    const found: PathConflict[] = [];
    for (const [index, requested] of registrations.entries()) {
      const others = (this.#existing(requested) ?? []).filter(({ workflow }) => workflow.id !== workflowId);
      for (const existing of [...others, ...registrations.slice(0, index)]) {
        const method = requested.methods.find((name) => existing.methods.includes(name));
        const isSameKind = requested.kind === existing.kind;
        if (method !== undefined && isSameKind && haveSameShape(requested, existing)) {
          found.push({ requested, existing, method });
        }
      }
    }
    return found;
  }

  #matches(path: string, kind: Registration['kind']): RegistrationMatch[] {
    const found: RegistrationMatch[] = (this.#static.get(path) ?? [])
      .filter((registration) => registration.kind === kind)
      .map((registration) => ({ registration, params: {} }));
    // Paths of forms have no variables.
    if (this.#dynamic.size === 0 || kind === 'form') return found;
    const segments = path.split('/');
    const [id, ...rest] = segments;
    for (const registration of this.#dynamic.get(rest.length) ?? []) {
      const params = registration.node.webhookId === id ? matchSegments(registration, rest) : undefined;
      if (params) found.push({ registration, params });
    }
    for (const registration of this.#dynamic.get(segments.length) ?? []) {
      const params = matchSegments(registration, segments);
      if (params) found.push({ registration, params });
    }
    return found;
  }

  #existing({ dynamic, segments }: Registration): Registration[] | undefined {
    return dynamic ? this.#dynamic.get(segments.length) : this.#static.get(segments.join('/'));
  }

  /** The list that a registration belongs to. It is created if it does not exist. */
  #listOf(registration: Registration): Registration[] {
    const existing = this.#existing(registration);
    if (existing) return existing;
    const list: Registration[] = [];
    const { dynamic, segments } = registration;
    if (dynamic) this.#dynamic.set(segments.length, list);
    else this.#static.set(segments.join('/'), list);
    return list;
  }
}

function fixedSegments({ segments }: Registration): number {
  return segments.filter((segment) => !isVariable(segment)).length;
}

/** The values of the variables, or undefined if the path does not match. */
function matchSegments({ segments }: Registration, parts: string[]): Record<string, string> | undefined {
  const params: [string, string][] = [];
  for (const [index, segment] of segments.entries()) {
    const part = parts[index]!;
    if (isVariable(segment)) {
      if (part === '') return undefined;
      params.push([segment.slice(1), part]);
    } else if (segment !== part) return undefined;
  }
  return Object.fromEntries(params);
}

/** Whether two paths match the same calls: the names of variables make no difference. */
function haveSameShape(a: Registration, b: Registration): boolean {
  return (
    a.segments.length === b.segments.length &&
    a.segments.every((segment, index) => {
      const other = b.segments[index]!;
      return isVariable(segment) ? isVariable(other) : segment === other;
    })
  );
}
