/** Whether a model can chat: embedding and image models cannot. True when a model states no capabilities. */
export function canChat({ capabilities }: { capabilities?: readonly string[] }): boolean {
  return capabilities?.includes('completion') ?? true;
}

export function canEmbed({ capabilities }: { capabilities?: readonly string[] }): boolean {
  return capabilities?.includes('embedding') ?? false;
}
