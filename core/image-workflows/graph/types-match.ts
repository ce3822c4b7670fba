/** Whether what one node gives may go into another's input. Types are names, unions `IMAGE,FLOAT`, or lists of choices. */
export function typesMatch(
  received: string | readonly string[],
  wanted: string | readonly string[],
): boolean {
  if (received === '*' || wanted === '*') return true;
  if (Array.isArray(received) || Array.isArray(wanted)) {
    // A choice is fed by the same list of names only; as `COMBO` it is fed by any.
    if (received === 'COMBO' || wanted === 'COMBO') return true;
    return JSON.stringify(received) === JSON.stringify(wanted);
  }
  const offers = new Set((received as string).split(',').map((part) => part.trim()));
  return (wanted as string).split(',').some((part) => part.trim() === '*' || offers.has(part.trim()));
}
