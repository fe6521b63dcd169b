/** Work that goes one after the other for each key, whatever became of what went before. */
export interface Turns {
  alone<T>(key: string, work: () => Promise<T>): Promise<T>
  isBusy(key: string): boolean
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return {
    async alone(key, work) {
      const turn = (last.get(key) ?? Promise.resolve()).then(work, work)
      last.set(key, turn)
      try {
        return await turn
      } finally {
        if (last.get(key) === turn) last.delete(key)
      }
    },
    isBusy: (key) => last.has(key),
  }
}
