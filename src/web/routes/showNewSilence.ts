import { formatMatcher } from '../../alerts/matchers.ts'
import type { SilencePreview } from '../../alerts/previewSilence.ts'
import { MonitorError } from '../../lib/errors.ts'
import type { FormContext } from '../createFormGate.ts'
import { type NewSilence, renderSilenceForm } from '../pages/silenceForm.ts'
import type { Html } from '../pages/words.ts'
import type { Fields } from '../readFields.ts'
import { toSilenceInput, toTypedSilence, type TypedSilence } from '../readSilenceForm.ts'
import type { WebDeps } from '../types.ts'
import type { AlertView } from '../caseTypes.ts'

type Source = Pick<WebDeps, 'operations' | 'clock'>

/** A new silence, with an alert filled in: its transfer first, where it has one, then its labels. */
export function showNewSilence(
  deps: Source,
  { alert, form }: { readonly alert: AlertView | null; readonly form: FormContext },
): Html {
  const draft = toDraft(alert, form)
  const key = alert?.transferKey ?? null
  const transfer =
    key === null ? null : offerTransfer(deps, { ...draft, transfer: key, for: '7d', untilOver: true })
  const preview = draft.matchers === '' ? null : tryPreview(deps, draft).preview
  return renderSilenceForm({ transfer, wide: { typed: draft, preview }, problem: null }, form)
}

/** A form that asks for a preview, or that was refused, as it was typed. */
export function showTypedSilence(
  deps: Source,
  {
    fields,
    form,
    problem,
  }: { readonly fields: Fields; readonly form: FormContext; readonly problem: string | null },
): Html {
  const typed = toTypedSilence(fields)
  if (typed.transfer !== '') {
    const wide = { typed: toDraft(null, form), preview: null }
    return renderSilenceForm({ transfer: offerTransfer(deps, typed), wide, problem }, form)
  }
  const tried = tryPreview(deps, typed)
  const page = { transfer: null, wide: { typed, preview: tried.preview }, problem: problem ?? tried.problem }
  return renderSilenceForm(page, form)
}

/** All that is said of a transfer now; null when nothing is. */
function offerTransfer(deps: Source, typed: TypedSilence): NewSilence['transfer'] {
  const { preview } = tryPreview(deps, { ...typed, kinds: null })
  return preview && { typed, offer: preview }
}

function tryPreview(
  { operations, clock }: Source,
  typed: TypedSilence,
): { readonly preview: SilencePreview | null; readonly problem: string | null } {
  try {
    // What it matches does not depend on how long, which may not be readable yet.
    const input = toSilenceInput({ ...typed, for: '2h' }, clock.now())
    return { preview: operations.previewSilence(input), problem: null }
  } catch (error) {
    if (!(error instanceof MonitorError)) throw error
    return { preview: null, problem: error.message }
  }
}

function toDraft(alert: AlertView | null, { by }: FormContext): TypedSilence {
  // The severity may change while the silence holds; the rule and the subject's labels identify the alert.
  const labels = Object.entries(alert?.labels ?? {}).filter(
    ([label, value]) => value !== '' && label !== 'severity' && label !== 'kind',
  )
  return {
    transfer: '',
    kinds: null,
    untilOver: false,
    matchers: labels
      .map(([label, value]) => formatMatcher({ label, operator: '=', value: value.slice(0, 500) }))
      .join('\n'),
    for: '2h',
    by,
    comment: '',
    allowUnknown: false,
  }
}
