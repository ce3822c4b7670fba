/** What the weights of the tests say greedily, token for token, whichever engine or device runs them. */
export const greedyAnswer = {
  question: 'Why is the sky blue?',
  tokens: 16,
  text: "The sky blue is a result of the Earth's atmosphere scattering sunlight in a specific",
};
