import type { z } from 'zod'
import type { Clock, UnixMs } from '../../lib/clock.ts'
import { type Absence, isAbsent, notYetAbsent, noteReading } from './absence.ts'
import { bears, type WideParams } from './askedHashes.ts'
import { type Endpoint, maxPerRequest } from './endpoint.ts'
import { readAll, type ReadAllDeps, type ReadAllOptions } from './readAll.ts'
import { splitList } from './splitRequest.ts'

export interface MissingRead {
  /** Three readings over half a minute agree, with a hash among them that is known: nothing is there. */
  readonly absent: readonly string[]
  /** Not shown either, and nothing known was asked for beside them that would make that count. */
  readonly unclear: readonly string[]
  readonly reasons: readonly string[]
  readonly requests: number
}

/** With the one that did not show them, three over half a minute. */
const rereads = 2
const pauseMs = 15_000

/**
 * Asks again for hashes that an answer did not show, by the rules of absence. What is shown after all goes to
 * `onRecords`.
 * @param control a hash of the same question that was shown
 */
export async function readMissing<R>(
  deps: ReadAllDeps & { readonly clock: Pick<Clock, 'sleep' | 'now'> },
  endpoint: Endpoint<z.ZodType, R>,
  question: {
    readonly params: WideParams
    readonly missing: readonly string[]
    readonly control: string | null
  },
  options: Pick<ReadAllOptions<R>, 'priority' | 'signal' | 'attempts' | 'onRecords'>,
): Promise<MissingRead> {
  const { params, control } = question
  const readings = new Map(
    question.missing.map((hash) => [hash, note(notYetAbsent, 'absent', deps.clock.now())]),
  )
  const reasons = new Set<string>()
  let requests = 0
  for (let reread = 0; reread < rereads && readings.size > 0; reread += 1) {
    await deps.clock.sleep(pauseMs, options.signal)
    for (const hashes of toQuestions(endpoint, [...readings.keys()], control)) {
      const asked = control === null || endpoint.listParam !== 'txId' ? hashes : [...hashes, control]
      const read = await readAll(
        deps,
        endpoint,
        { ...params, ...toParam(endpoint, params, asked) },
        {
          ...options,
          onRecords: (records) =>
            options.onRecords(records.filter((record) => !bears(endpoint, record, control))),
        },
      )
      requests += read.requests
      for (const reason of read.reasons) reasons.add(reason)
      const left = new Set(read.missing)
      const isControlled = asked.length > hashes.length && !left.has(control ?? '')
      for (const hash of hashes) {
        const kind = isControlled ? 'absent-among-others' : 'absent'
        if (left.has(hash)) readings.set(hash, note(readings.get(hash), kind, deps.clock.now()))
        else readings.delete(hash)
      }
    }
  }
  const left = [...readings]
  return {
    absent: left.filter(([, absence]) => isAbsent(absence)).map(([hash]) => hash),
    unclear: left.filter(([, absence]) => !isAbsent(absence)).map(([hash]) => hash),
    reasons: [...reasons],
    requests,
  }
}

function note(before: Absence | undefined, kind: 'absent' | 'absent-among-others', at: UnixMs): Absence {
  return noteReading(before ?? notYetAbsent, { kind, at })
}

function toQuestions(endpoint: Endpoint, hashes: readonly string[], control: string | null): string[][] {
  if (endpoint.listParam !== 'txId') return hashes.map((hash) => [hash])
  return splitList(hashes, control === null ? maxPerRequest : maxPerRequest - 1)
}

function toParam(endpoint: Endpoint, params: WideParams, hashes: readonly string[]): WideParams {
  if (endpoint.listParam === 'txId') return { txId: hashes }
  return params['txid'] === undefined ? { txId: hashes[0] } : { txid: hashes[0] }
}
