/** Where a row stands among others of its block for one question: each question has an order of its own. */
export function rankAt(question: number, name: string): number {
  const number = Array.from(name).reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % prime, 7)
  return (number * (37 * question + 101)) % prime
}

const prime = 10_007
