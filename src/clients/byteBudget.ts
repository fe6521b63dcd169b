/** Memory that all answers under way share. */
export interface ByteBudget {
  /**
   * Waits until so many bytes are free and takes them; what it gives puts them back. Whoever takes takes all that he may
   * need at once, so that no two can wait for each other. Rejects with the signal's reason.
   */
  take(bytes: number, signal: AbortSignal): Promise<() => void>
}

/** One of the largest answers at a time, beside some that said how large they are. */
const defaultBytes = 24 * 1024 * 1024

interface Waiting {
  readonly bytes: number
  readonly go: () => void
}

/** First come, first served: a large answer is not overtaken for ever by smaller ones. */
export function createByteBudget(total: number = defaultBytes): ByteBudget {
  let free = total
  const queue = new Set<Waiting>()

  function serve(): void {
    for (const one of queue) {
      if (one.bytes > free) return
      queue.delete(one)
      free -= one.bytes
      one.go()
    }
  }

  return {
    async take(wanted, signal) {
      const bytes = Math.min(wanted, total)
      await new Promise<void>((resolve, reject) => {
        signal.throwIfAborted()
        const giveUp = () => {
          queue.delete(waiting)
          reject(signal.reason)
          serve()
        }
        const waiting: Waiting = {
          bytes,
          go: () => {
            signal.removeEventListener('abort', giveUp)
            resolve()
          },
        }
        signal.addEventListener('abort', giveUp, { once: true })
        queue.add(waiting)
        serve()
      })
      let isTaken = true
      return () => {
        if (isTaken) free += bytes
        isTaken = false
        serve()
      }
    },
  }
}
