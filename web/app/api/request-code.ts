/** A request to print as code. `path` includes the query. */
export interface CodeRequest {
  method: string;
  path: string;
  contentType?: string;
  body?: string;
  /** Further headers. */
  headers?: Record<string, string>;
}

/** All headers of the request, by their names. */
function headersOf({ contentType, headers = {} }: CodeRequest): [name: string, value: string][] {
  return Object.entries({ ...(contentType !== undefined && { 'content-type': contentType }), ...headers });
}

/** A curl command for a POSIX shell. */
export function curlCommand(request: CodeRequest, origin: string): string {
  const { method, path, body } = request;
  const parts = ['curl'];
  if (method !== (body === undefined ? 'GET' : 'POST')) parts.push(`-X ${method}`);
  parts.push(shellQuoted(`${origin}${path}`));
  for (const [name, value] of headersOf(request))
    if (value !== 'application/x-www-form-urlencoded') parts.push(`-H ${shellQuoted(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`--data-raw ${shellQuoted(body)}`);
  return parts.join(' ');
}

/** JavaScript for a page or a script of this origin. */
export function fetchCode(request: CodeRequest): string {
  const { method, path, body } = request;
  const headers = headersOf(request).map(
    ([name, value]) => `${stringLiteral(name)}: ${stringLiteral(value)}`,
  );
  const lines = [
    ...(method === 'GET' ? [] : [`  method: ${stringLiteral(method)},`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: ${jsonExpression(body) ?? stringLiteral(body)},`]),
  ];
  const options = lines.length === 0 ? '' : `, {\n${lines.join('\n')}\n}`;
  return `const response = await fetch(${stringLiteral(path)}${options});\nconsole.log(await response.text());`;
}

/** A Python script that needs no package. A JSON string is also a string of Python. */
export function pythonCode(request: CodeRequest, origin: string): string {
  const { method, path, body } = request;
  const headers = headersOf(request).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  const lines = [
    `    ${JSON.stringify(`${origin}${path}`)},`,
    `    method=${JSON.stringify(method)},`,
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(', ')}},`]),
    ...(body === undefined ? [] : [`    data=${JSON.stringify(body)}.encode(),`]),
  ];
  const call = `request = urllib.request.Request(\n${lines.join('\n')}\n)`;
  return `import urllib.request\n\n${call}\nprint(urllib.request.urlopen(request).read().decode())`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function stringLiteral(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** A `JSON.stringify` call for a JSON body. Undefined for other bodies. */
function jsonExpression(body: string): string | undefined {
  try {
    return `JSON.stringify(${JSON.stringify(JSON.parse(body), null, 2).replaceAll('\n', '\n  ')})`;
  } catch {
    return undefined;
  }
}
