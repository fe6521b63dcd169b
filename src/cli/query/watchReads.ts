import type { WideParams } from '../../clients/explorer/question.ts'
import type { Explorer } from '../../clients/explorer/createExplorer.ts'
import { doubtsOf } from '../../clients/explorer/readAll.ts'
import { tellUnreadable } from './job.ts'
import { heightOf, type Reader, tell } from './reader.ts'

const tellEveryMs = 2_000
/** The client, with an eye on what it asks. */
export function watchReads(explorer: Explorer, reader: Reader): Pick<Explorer, 'call' | 'walk'> {
  return {
    async call(endpoint, params, how) {
      note(reader, params as WideParams)
      const answer = await explorer.call(endpoint, params, how)
      reader.requests += 1
      tellUnreadable(reader.job, answer.quarantined)
      reader.newest = doubtsOf(answer)
      reader.list = answer.list
      return answer
    },
    async walk(endpoint, params, how) {
      reader.pageRows = 0
      reader.part = []
      reader.hasMisfits = false
      const result = await explorer.walk(endpoint, params, {
        ...how,
        onNew: (rows, answer) => {
          reader.part.push(...rows)
          return how.onNew?.(rows, answer)
        },
        onPage: async (answer) => {
          reader.requests += 1
          reader.pageRows += answer.records.length
          reader.list = answer.list
          reader.hasMisfits ||= answer.misfits.length > 0
          note(reader, params as WideParams, answer)
          tellUnreadable(reader.job, answer.quarantined)
          await how.onPage?.(answer)
        },
      })
      // What readAll will say at its end is needed earlier when the read is interrupted.
      reader.newest = result.reasons.filter((reason) => reason !== 'the list is empty')
      return result
    },
  }
}

interface Page {
  readonly page: number | null
  readonly totalPage: number | null
}

function note(reader: Reader, asked: WideParams, page: Page | null = null): void {
  reader.asked = asked
  const { startBlockHeight, endBlockHeight } = asked
  const range =
    startBlockHeight === undefined ? null : `${String(startBlockHeight)} to ${String(endBlockHeight)}`
  const count = reader.rows + reader.pageRows
  if (reader.bar !== null) {
    const place = range === null ? {} : { place: `in blocks ${range}` }
    reader.bar.show({ share: shareOf(reader, page), count, ...place })
    return
  }
  const now = reader.job.io.clock.monotonicMs()
  if (now - reader.toldAt < tellEveryMs) return
  reader.toldAt = now
  const of = page?.totalPage ? `, page ${page.page ?? '?'} of ${page.totalPage}` : ''
  tell(
    reader,
    `${count.toLocaleString('en')} rows in ${reader.requests.toLocaleString('en')} requests${range === null ? '' : `, in blocks ${range}`}${of}`,
  )
}

/** By pages within the present question, and by blocks where that is a part of what was asked: ranges are read from their top down. */
function shareOf({ job, asked }: Reader, page: Page | null): number | null {
  const ofPages = page?.page && page.totalPage ? page.page / page.totalPage : null
  const [from, to] = [heightOf(job.params['startBlockHeight']), heightOf(job.params['endBlockHeight'])]
  const [low, high] = [heightOf(asked['startBlockHeight']), heightOf(asked['endBlockHeight'])]
  if (from === null || to === null || low === null || high === null || to <= from) return ofPages
  return (to - high + (high - low) * (ofPages ?? 0)) / (to - from)
}
