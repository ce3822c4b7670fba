/** The greedy answer of the tests' weights, token for token. Engines and devices agree on it. */
export const greedyAnswer = {
  question: 'Why is the sky blue?',
  tokens: 16,
  text: "The sky blue is a result of the Earth's atmosphere scattering sunlight in a specific",
};
