import type { Clock, UnixMs } from '../lib/clock.ts'
import { errorText } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import type { Channel, StandingCase } from './channels/message.ts'
import { type CaseWords, describeCase } from './describeCase.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { AlertStore } from '../alerts/store/alertStore.ts'

export interface RefreshDeps extends Omit<CaseWords, 'store'> {
  readonly clock: Clock
  readonly store: AlertStore
  readonly channels: readonly Channel[]
  readonly log: Pick<Logger, 'warn'>
  readonly dispatcher: Pick<Dispatcher, 'noteAnswer'>
}

/**
 * Tells services that forget of every case that stands, again and again: past the outbox, since nothing is lost where it
 * fails, and the next time is near. Ends with the signal.
 */
export async function refreshCases(deps: RefreshDeps, signal: AbortSignal): Promise<void> {
  const forgetful = deps.channels.filter(({ refresh }) => refresh !== undefined)
  await Promise.all(forgetful.map((channel) => repeat(deps, channel, signal)))
}

async function repeat(deps: RefreshDeps, channel: Channel, signal: AbortSignal): Promise<void> {
  while (channel.refresh && !signal.aborted) {
    try {
      await tellAgain(deps, channel, signal)
    } catch (error) {
      deps.log.warn({ channel: channel.name, error: errorText(error) }, 'what stands could not be told again')
    }
    await deps.clock.sleep(channel.refresh.everyMs, signal)
  }
}

async function tellAgain(deps: RefreshDeps, { name, refresh }: Channel, signal: AbortSignal): Promise<void> {
  const now = deps.clock.now()
  const { circuit, probeAt } = deps.store.getChannel(name)
  // One that refuses us is asked again when its probe is due.
  if (circuit === 'open' && (probeAt ?? now) > now) return
  // Before it is listed: what ends meanwhile must not be told again after its end.
  if (refresh?.mayTell && !(await refresh.mayTell())) return
  const standing = listStanding(deps, name, deps.clock.now())
  const result = standing.length === 0 ? null : await refresh?.tell(standing, { signal })
  if (!result || signal.aborted) return
  if (result.result !== 'ack' || circuit === 'open')
    deps.dispatcher.noteAnswer(name, result, deps.clock.now())
}

function listStanding(deps: RefreshDeps, channel: string, now: UnixMs): StandingCase[] {
  return deps.store.listStandingThreads(channel).flatMap(({ caseId, thread }): StandingCase[] => {
    const row = deps.store.getCase(caseId)
    return row === null ? [] : [{ case: describeCase(deps, row, now), thread }]
  })
}
