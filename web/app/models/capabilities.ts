/** Whether a model can be talked to: not those that make vectors or pictures. What does not tell is believed to. */
export function canChat({ capabilities }: { capabilities?: readonly string[] }): boolean {
  return capabilities?.includes('completion') ?? true;
}
