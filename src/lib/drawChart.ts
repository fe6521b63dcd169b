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

interface Thread {
  readonly worker: Worker
  readonly waiting: Map<number, (drawn: Drawn) => void>
  /** Ends it once nothing was drawn for a while. */
  idle: NodeJS.Timeout | undefined
}

/** Whoever looks at one page looks at the next; what draws takes some 50 MB. */
const keptMs = 30_000

let thread: Thread | null = null
let lastId = 0

/**
 * Draws a chart as SVG in a thread of its own: the first one takes a tenth of a second, in which nothing else would run.
 * @throws Error with the reason when it could not be drawn
 */
export async function drawSvg(spec: ChartSpec): Promise<string> {
  const { svg, failed } = await draw(spec, 'svg')
  if (svg === undefined) throw new Error(failed)
  return svg
}

/** The same as PNG, for mail clients, which show nothing else. */
export async function drawPng(spec: ChartSpec): Promise<Buffer> {
  const { png, failed } = await draw(spec, 'png')
  if (png === undefined) throw new Error(failed)
  return Buffer.from(png)
}

function draw(spec: ChartSpec, form: Drawing['form']): Promise<Drawn> {
  const { worker, waiting, idle } = (thread ??= openThread())
  lastId += 1
  const id = lastId
  worker.postMessage({ id, spec, form } satisfies Drawing, [])
  clearTimeout(idle)
  worker.ref()
  return new Promise((resolve) => waiting.set(id, resolve))
}

function openThread(): Thread {
  // Built, it stands beside this file as well, as .js.
  const worker = new Worker(new URL(`./chartWorker${extname(import.meta.url)}`, import.meta.url))
  // It keeps no process alive but while somebody waits.
  worker.unref()
  const opened: Thread = { worker, waiting: new Map(), idle: undefined }
  const answer = (drawn: Drawn) => {
    opened.waiting.get(drawn.id)?.(drawn)
    opened.waiting.delete(drawn.id)
    if (opened.waiting.size === 0) rest(opened)
  }
  const end = (failed: string) => {
    if (thread === opened) thread = null
    for (const [id, resolve] of opened.waiting) resolve({ id, failed })
    opened.waiting.clear()
  }
  worker.on('message', answer)
  worker.on('error', (error) => end(errorText(error)))
  worker.on('exit', () => end('the thread that draws was ended'))
  return opened
}

function rest(opened: Thread): void {
  opened.worker.unref()
  opened.idle = setTimeout(() => {
    if (thread === opened) thread = null
    void opened.worker.terminate()
  }, keptMs).unref()
}
