/** A request to print as code. `path` includes the query. */
export interface CodeRequest {
  method: string;
  path: string;
  contentType?: string;
  body?: string;
}

/** A curl command for a POSIX shell. */
export function curlCommand({ method, path, contentType, body }: CodeRequest, origin: string): string {
  const parts = ['curl'];
  if (method !== (body === undefined ? 'GET' : 'POST')) parts.push(`-X ${method}`);
  parts.push(shellQuoted(`${origin}${path}`));
  if (contentType !== undefined && contentType !== 'application/x-www-form-urlencoded')
    parts.push(`-H ${shellQuoted(`content-type: ${contentType}`)}`);
  if (body !== undefined) parts.push(`--data-raw ${shellQuoted(body)}`);
  return parts.join(' ');
}

/** JavaScript for a page or a script of this origin. */
export function fetchCode({ method, path, contentType, body }: CodeRequest): string {
  const lines = [
    ...(method === 'GET' ? [] : [`  method: ${stringLiteral(method)},`]),
    ...(contentType === undefined ? [] : [`  headers: { 'content-type': ${stringLiteral(contentType)} },`]),
    ...(body === undefined ? [] : [`  body: ${jsonExpression(body) ?? stringLiteral(body)},`]),
  ];
  const options = lines.length === 0 ? '' : `, {\n${lines.join('\n')}\n}`;
  return `const response = await fetch(${stringLiteral(path)}${options});\nconsole.log(await response.text());`;
}

/** A Python script that needs no package. A JSON string is also a string of Python. */
export function pythonCode({ method, path, contentType, body }: CodeRequest, origin: string): string {
  const lines = [
    `    ${JSON.stringify(`${origin}${path}`)},`,
    `    method=${JSON.stringify(method)},`,
    ...(contentType === undefined ? [] : [`    headers={"content-type": ${JSON.stringify(contentType)}},`]),
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
