import { toOutboxView } from '../web/views/toOutboxView.ts'
import { formatDuration } from '../lib/duration.ts'
import { MonitorError } from '../lib/errors.ts'
import { createAlertStore } from '../alerts/store/alertStore.ts'
import type { OutboxView } from '../web/viewTypes.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { openLedger } from './openLedger.ts'
import { cutTo, readLimit } from './readOptions.ts'
import { openOperations } from './openOperations.ts'
import type { Actor } from '../store/actor.ts'
import { readActor } from './readAuthor.ts'
import { readId } from './silences.ts'

export interface ListOutboxCommand {
  readonly config: string
  readonly state: string
  readonly limit: string
  readonly json?: boolean
}

/** `spanwatch outbox list`: what waits to be sent, or what was set aside. */
export function listOutbox(io: Io, options: ListOutboxCommand): number {
  const { state } = options
  if (state !== 'queued' && state !== 'dead' && state !== 'sent')
    throw new MonitorError('usage', `--state: expected queued, dead or sent, got "${state}"`)
  const { db } = openLedger(readConfig(io, options.config, { needs: [] }).config)
  try {
    const store = createAlertStore(db)
    const limit = readLimit(options.limit)
    const { rows, rest } = cutTo(limit, store.listOutbox({ state, limit: limit + 1 }))
    const views = rows.map((item) => toOutboxView(store, item))
    if (options.json) io.out(`${JSON.stringify(views, null, 2)}\n`)
    else io.out(views.map((view) => format(view, io.clock.now())).join('') || `Nothing is ${state}.\n`)
    io.err(rest)
    return exitCodes.fine
  } finally {
    db.close()
  }
}

function format(view: OutboxView, now: number): string {
  const age = formatDuration(Math.max(0, now - view.createdAt))
  const tries = view.attempt === null ? '' : `, attempt ${view.attempt}`
  const next = view.nextAt === null ? '' : `, next in ${formatDuration(Math.max(0, view.nextAt - now))}`
  const error = view.lastError === null ? '' : `\n        ${view.lastError}`
  const dropped = view.isDropped ? ', dropped by hand' : ''
  return `${String(view.id).padEnd(7)} ${view.state.padEnd(6)} ${view.channel}  ${view.what} of #${view.alert ?? '?'} ${view.rule ?? ''} ${view.subject ?? ''}  ${age} old${tries}${next}${dropped}${error}\n`
}

export interface ChangeOutboxCommand {
  readonly config: string
  readonly by?: string
  readonly json?: boolean
}

/** `spanwatch outbox retry`: an item's number, or `dead` for everything that was set aside. */
export async function retryOutbox(io: Io, id: string, options: ChangeOutboxCommand): Promise<number> {
  const wanted = id === 'dead' ? 'dead' : readId(id)
  return await change(io, options, 'back in the queue', (operations, actor) =>
    operations.retryOutbox(wanted, actor),
  )
}

/** `spanwatch outbox drop`. */
export async function dropOutbox(io: Io, id: string, options: ChangeOutboxCommand): Promise<number> {
  const wanted = readId(id)
  return await change(io, options, 'set aside for good', (operations, actor) =>
    operations.dropOutbox(wanted, actor),
  )
}

async function change(
  io: Io,
  options: ChangeOutboxCommand,
  done: string,
  work: (operations: ReturnType<typeof openOperations>, actor: Actor) => Promise<{ readonly count: number }>,
): Promise<number> {
  const operations = openOperations(io, readConfig(io, options.config, { needs: ['http'] }).config)
  try {
    const { count } = await work(operations, readActor(io, options.by))
    io.out(options.json ? `${JSON.stringify({ count })}\n` : `${count} ${done}.\n`)
    return exitCodes.fine
  } finally {
    operations.close()
  }
}
