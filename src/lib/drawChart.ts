import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ChartSpec } from './charts.ts'
import { errorText } from './errors.ts'

/** What the thread is asked for. */
export interface Drawing {
  readonly id: number
  readonly spec: ChartSpec
  readonly form: 'svg' | 'png'
}

/** What it answers: one of the two forms, or why there is none. */
export interface Drawn {
  readonly id: number
  readonly svg?: string
  readonly png?: Uint8Array
  readonly failed?: string
}

/** Draws charts; both throw an Error with the reason when one could not be drawn. */
export interface ChartDrawer {
  svg(spec: ChartSpec): Promise<string>
  /** For mail clients, which show nothing else. */
  png(spec: ChartSpec): Promise<Buffer>
}

interface Thread {
  readonly worker: Worker
  readonly waiting: Map<number, (drawn: Drawn) => void>
  /** Ends it once nothing was drawn for a while. */
  idle: NodeJS.Timeout | undefined
}

/** Whoever looks at one page looks at the next; what draws takes some 50 MB. */
const keptMs = 30_000

/**
 * Draws in a thread of its own: the first chart takes a tenth of a second, in which nothing else would run. The thread begins
 * with the first chart, ends once nothing was drawn for a while, and keeps no process alive but while somebody waits.
 */
export function createChartDrawer(): ChartDrawer {
  let thread: Thread | null = null
  let lastId = 0

  function draw(spec: ChartSpec, form: Drawing['form']): Promise<Drawn> {
    const { worker, waiting, idle } = (thread ??= open())
    lastId += 1
    const id = lastId
    worker.postMessage({ id, spec, form } satisfies Drawing, [])
    clearTimeout(idle)
    worker.ref()
    return new Promise((resolve) => waiting.set(id, resolve))
  }

  function open(): Thread {
    const opened = openThread(() => {
      if (thread === opened) thread = null
    })
    return opened
  }

  return {
    async svg(spec) {
      const { svg, failed } = await draw(spec, 'svg')
      if (svg === undefined) throw new Error(failed)
      return svg
    },
    async png(spec) {
      const { png, failed } = await draw(spec, 'png')
      if (png === undefined) throw new Error(failed)
      return Buffer.from(png)
    },
  }
}

function openThread(onEnd: () => void): Thread {
  // Built, it stands beside this file as well, as .js.
  const worker = new Worker(new URL(`./chartWorker${extname(import.meta.url)}`, import.meta.url))
  worker.unref()
  const opened: Thread = { worker, waiting: new Map(), idle: undefined }
  const end = (failed: string) => {
    onEnd()
    for (const [id, resolve] of opened.waiting) resolve({ id, failed })
    opened.waiting.clear()
  }
  worker.on('message', (drawn: Drawn) => {
    opened.waiting.get(drawn.id)?.(drawn)
    opened.waiting.delete(drawn.id)
    if (opened.waiting.size > 0) return
    worker.unref()
    opened.idle = setTimeout(() => {
      onEnd()
      void worker.terminate()
    }, keptMs).unref()
  })
  worker.on('error', (error) => end(errorText(error)))
  worker.on('exit', () => end('the thread that draws was ended'))
  return opened
}
