/** A node of image workflows that takes a while, and reports its end to the ledger. As text: the workers load it. */
export const ledgerNode = (ledger: string): string => `export default {
  name: 'Ledger', category: 'test', inputs: { image: ['IMAGE', {}], call: ['STRING', {}], milliseconds: ['INT', {}] },
  outputs: ['IMAGE'],
  async run({ image, call, milliseconds }, context) {
    for (let passed = 0; passed < milliseconds; passed += 50) {
      await context.progress(passed, milliseconds);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await fetch(\`${ledger}/?call=\${call}&step=1&execution=\${process.pid}\`, { method: 'POST' });
    return [image];
  },
};`;

/** A prompt that saves one image below a name of its own. */
export const ledgerPrompt = (call: string, milliseconds: number, color: number) => ({
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color } },
  '2': { class_type: 'Ledger', inputs: { image: ['1', 0], call, milliseconds } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: call } },
});
