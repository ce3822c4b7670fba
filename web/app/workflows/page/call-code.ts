import type { Address, WorkflowNode } from '../api-types.ts';

/** A curl command that calls a webhook. */
export function callAsCurl({ methods, url }: Address, node: WorkflowNode | undefined): string {
  const [method = 'GET'] = methods;
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(url)}`,
    ...authArguments(node),
  ];
  if (!['GET', 'HEAD', 'DELETE'].includes(method)) {
    lines.push(`-H 'Content-Type: application/json'`, `-d '{"text": "Hello", "name": "Ada"}'`);
  }
  return lines.join(' \\\n  ');
}

/** JavaScript that calls a webhook from this page. */
export function callAsFetch({ methods, path }: Address): string {
  const [method = 'GET'] = methods;
  if (['GET', 'HEAD', 'DELETE'].includes(method)) {
    return method === 'GET' ? `await fetch('${path}')` : `await fetch('${path}', { method: '${method}' })`;
  }
  return `await fetch('${path}', {
  method: '${method}',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ text: 'Hello', name: 'Ada' }),
})`;
}

function authArguments(node: WorkflowNode | undefined): string[] {
  switch (node?.parameters.authentication) {
    case 'basicAuth':
      return ["-u 'USER:PASSWORD'"];
    case 'headerAuth':
      return ["-H 'HEADER_NAME: VALUE'"];
    case 'jwtAuth':
      return ["-H 'Authorization: Bearer TOKEN'"];
    default:
      return [];
  }
}

function shellQuoted(text: string): string {
  return /^[\w:/.?=&%~-]+$/.test(text) && !/[&?]/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
