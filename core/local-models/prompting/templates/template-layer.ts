/**
 * The TEMPLATE layer that makes a model's prompts; undefined: the chat template in its file does. A model with a
 * RENDERER has a TEMPLATE that knows no roles: what Ollama has written out for it is what its chat template says.
 */
export function templateLayer(
  template: string | undefined,
  renderer: string | undefined,
  chatTemplate: string | undefined,
): string | undefined {
  return renderer && chatTemplate ? undefined : template;
}
