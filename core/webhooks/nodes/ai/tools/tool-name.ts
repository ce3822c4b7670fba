/** The name of a tool for models, from the name of its node: letters, digits, `_` and `-`. */
export function toolName(node: string): string {
  return node
    .replace(/[^\p{L}\p{N}_-]/gu, '_')
    .replace(/[^\w-]/g, '_')
    .replace(/_+/g, '_');
}
