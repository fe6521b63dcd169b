import type { CaseCommand } from '../alerts/caseOperations.ts'
import type { Operations } from '../alerts/operations.ts'
import type { AlertStore } from '../alerts/store/alertStore.ts'
import type { CaseActions, CaseAnswer } from '../delivery/channels/caseActions.ts'
import { MonitorError } from '../lib/errors.ts'
import type { Actor } from '../store/actor.ts'

export interface CaseActionsDeps {
  readonly operations: Pick<Operations, 'changeCase' | 'addSilence'>
  readonly store: Pick<AlertStore, 'findCase' | 'listCaseTransfers'>
}

/** What a press in a channel does: the same operations as page and CLI, under the name of who pressed. */
export function createCaseActions({ operations, store }: CaseActionsDeps): CaseActions {
  const find = (caseId: string) => {
    const [, digits] = /^c(\d{1,15})(?:-\d{1,6})?$/.exec(caseId) ?? []
    return digits === undefined ? null : store.findCase(Number(digits))
  }
  const change = (caseId: string, what: Pick<CaseCommand, 'do' | 'text'>, actor: Actor) => {
    const [id = '', turn] = caseId.split('-')
    return answer(() =>
      operations.changeCase({ id, ...what, turn: turn === undefined ? undefined : Number(turn) }, actor),
    )
  }
  return {
    ack(caseId, by, from) {
      const row = find(caseId)
      if (row?.state === 'acknowledged') return no(`it is acknowledged already, by ${row.by ?? 'somebody'}`)
      return change(caseId, { do: 'ack', text: null }, inSlack(by, from))
    },
    handle(caseId, by, from, reason) {
      const row = find(caseId)
      if (row?.state === 'handled') return no(`it is handled already, by ${row.by ?? 'somebody'}`)
      return change(caseId, { do: 'handle', text: reason }, inSlack(by, from))
    },
    silenceTransfer(caseId, by, from) {
      const row = find(caseId)
      const [key, ...others] = row === null ? [] : store.listCaseTransfers(row.id, 2)
      if (key === undefined || others.length > 0) return no('it is not about one transfer alone')
      const input = {
        matchers: [],
        startsAt: null,
        endsAt: null,
        author: by,
        comment: `case ${caseId.split('-')[0] ?? ''}, by the button in Slack`,
        transfer: { name: key, kinds: null, untilOver: true },
      }
      return answer(() => operations.addSilence(input, inSlack(by, from)))
    },
  }
}

function inSlack(by: string, address: string): Actor {
  return { by, from: { via: 'slack', address, role: null, session: null } }
}

/** What was meant and cannot be is told to the person; all else is a fault of ours. */
function answer(work: () => unknown): CaseAnswer {
  try {
    work()
    return { ok: true }
  } catch (error) {
    if (error instanceof MonitorError && (error.code === 'usage' || error.code === 'not_found'))
      return no(error.message)
    throw error
  }
}

function no(reason: string): CaseAnswer {
  return { ok: false, reason }
}
