/**
 * One of the items, each as often as its weight says.
 * @param random numbers from 0 to 1
 */
export function chooseByWeight<T>(items: readonly T[], weight: (item: T) => number, random: () => number): T {
  let rest = random() * items.reduce((sum, item) => sum + weight(item), 0);
  for (const item of items) {
    rest -= weight(item);
    if (rest < 0) return item;
  }
  return items.at(-1)!;
}
