/** Paths into JSON: `a.b[0].c`, `a["x y"]`. They never reach prototypes. */

/** Splits a path at dots and brackets. */
export function splitPath(path: string): string[] {
  const parts: string[] = [];
  const pattern = /([^.[\]]+)|\[(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\]]*))\]/g;
  for (const [, plain, doubleQuoted, singleQuoted, unquoted] of path.matchAll(pattern)) {
    parts.push(plain ?? doubleQuoted ?? singleQuoted ?? unquoted ?? '');
  }
  return parts;
}

/** The value at a path, or undefined. A key that equals the complete path wins over its parts. */
export function getPath(value: unknown, path: string): unknown {
  if (isIndexable(value) && Object.hasOwn(value, path)) return value[path];
  return splitPath(path).reduce<unknown>(
    (at, part) => (isIndexable(at) && Object.hasOwn(at, part) ? at[part] : undefined),
    value,
  );
}

/** Sets the value at a path. Missing parents become objects, or arrays if a number follows. */
export function setPath(target: Record<string, unknown>, path: string, value: unknown): void {
  const parts = splitPath(path);
  const last = parts.pop();
  if (last === undefined || [...parts, last].some(isForbiddenKey)) return;
  let parent: Record<string, unknown> = target;
  for (const [index, part] of parts.entries()) {
    const existing = Object.hasOwn(parent, part) ? parent[part] : undefined;
    if (isIndexable(existing)) {
      parent = existing;
      continue;
    }
    const created = /^\d+$/.test(parts[index + 1] ?? last) ? [] : {};
    parent[part] = created;
    parent = created as Record<string, unknown>;
  }
  parent[last] = value;
}

/** Removes the value at a path. Returns whether there was one. */
export function deletePath(target: Record<string, unknown>, path: string): boolean {
  if (Object.hasOwn(target, path)) return delete target[path];
  const parts = splitPath(path);
  const last = parts.pop();
  const parent = parts.reduce<unknown>(
    (at, part) => (isIndexable(at) && Object.hasOwn(at, part) ? at[part] : undefined),
    target,
  );
  if (last === undefined || !isIndexable(parent) || !Object.hasOwn(parent, last)) return false;
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
  return true;
}

/** Whether assigning this key would change the object's prototype instead of its content. */
export function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

function isIndexable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
