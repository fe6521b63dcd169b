import { html } from 'hono/html'
import { type MatchedAlerts, sayMatched, type SilencePreview } from '../../alerts/previewSilence.ts'
import { listScope } from '../../alerts/transferSilence.ts'
import { cleanText } from '../../lib/text.ts'
import type { FormContext } from '../createFormGate.ts'
import { kindField, markPreviewed, type TypedSilence } from '../readSilenceForm.ts'
import { renderHidden, renderSigner } from './formParts.ts'
import { renderLayout } from './layout.ts'
import { type Html, renderTag, shortenHashes, toAlertPath, toTransferPath } from './words.ts'

/** What the page of a new silence shows. */
export interface NewSilence {
  /** One transfer, with all that is said of it; null where there is none to offer. */
  readonly transfer: { readonly typed: TypedSilence; readonly offer: SilencePreview } | null
  /** By labels. */
  readonly wide: { readonly typed: TypedSilence; readonly preview: SilencePreview | null }
  readonly problem: string | null
}

/** The transfer of an alert first, then the wider choice by labels, each with what it would silence above its button. */
export function renderSilenceForm(page: NewSilence, form: FormContext): Html {
  const { transfer, wide, problem } = page
  return renderLayout({
    title: 'New silence',
    active: 'silences',
    live: false,
    main: html`<h1>New silence</h1>
${problem === null ? '' : html`<p class="problem" role="alert" id="problem">${problem}</p>`}
${transfer === null ? '' : renderTransferForm(transfer.typed, transfer.offer, form)}
${renderWideForm(wide, { form, isOnly: transfer === null, problem })}`,
  })
}

function renderTransferForm(typed: TypedSilence, { silence, now }: SilencePreview, form: FormContext): Html {
  const made = silence.transfer
  if (made === null) return html``
  const scope = listScope(made)
  return html`<form class="card form" method="post" action="/silences" aria-labelledby="one-title">
<h2 id="one-title">This transfer alone: <a href="${toTransferPath(made.key)}">${cleanText(made.key)}</a></h2>
<p class="muted">Silences what its alerts say now. Another kind, a higher severity, another token or more money is sent all the same, and says so.</p>
${renderHidden(form, { transfer: made.key })}
<fieldset><legend>Kinds</legend>${made.kinds.map(
    ({ kind }, index) =>
      html`<label class="check"><input type="checkbox" name="${kindField}${kind}" value="yes"${typed.kinds?.includes(kind) === false ? '' : html` checked`}> <span>${scope[index] ?? kind}</span></label>`,
  )}</fieldset>
${renderMatched('Its alerts now', now)}
<label class="check"><input type="checkbox" name="over" value="yes"${typed.untilOver ? html` checked` : ''}> <span>Until it is over: completed, and its alerts have ended</span></label>
${renderSigned(typed, { prefix: 'one-', length: 'At most' })}
<p class="buttons"><button class="primary">Silence this transfer</button> <a href="/silences">Cancel</a></p>
</form>`
}

function renderWideForm(
  { typed, preview }: NewSilence['wide'],
  {
    form,
    isOnly,
    problem,
  }: { readonly form: FormContext; readonly isOnly: boolean; readonly problem: string | null },
): Html {
  const invalid = problem === null ? '' : html` aria-describedby="problem"`
  return html`<form class="card form" method="post" action="/silences" aria-labelledby="wide-title">
<h2 id="wide-title">${isOnly ? 'By labels' : 'Wider: every alert with these labels'}</h2>
<p class="muted">Alerts whose labels match every line are silenced until it ends. They are judged as before; what still holds then is sent, and events are listed once.</p>
${renderHidden(form, { previewed: preview === null ? '' : markPreviewed(typed) })}
<label for="matchers">Matchers, one a line <span class="muted">label="value", !=, =~ or !~ with a pattern</span></label>
<textarea id="matchers" name="matchers" rows="6" required spellcheck="false"${invalid}>${typed.matchers}</textarea>
<label class="check"><input type="checkbox" name="unknown" value="yes"${typed.allowUnknown ? html` checked` : ''}> <span>Rules, kinds and labels may be ones that do not exist yet</span></label>
${renderSigned(typed, { prefix: '', length: 'For' })}
${preview === null ? '' : html`<section class="preview" aria-label="What it matches">${renderMatched('Conditions that hold now', preview.now)}${renderMatched('Of the past week', preview.week)}${renderRules(preview.week)}</section>`}
<p class="buttons">${
    preview === null
      ? html`<button class="primary">Show what it matches</button>`
      : html`<button${isOnly ? html` class="primary"` : ''}>Silence</button> <button name="preview" value="yes">Show again</button>`
  } <a href="/silences">Cancel</a></p>
</form>`
}

function renderSigned(
  typed: TypedSilence,
  { prefix, length }: { readonly prefix: string; readonly length: string },
): Html {
  return html`<div class="fields">
<div><label for="${prefix}for">${length} <span class="muted">such as 30m, 2h, 3d</span></label><input id="${prefix}for" name="for" value="${typed.for}" required maxlength="40" autocomplete="off"></div>
<div>${renderSigner(`${prefix}by`, typed.by)}</div>
</div>
<label for="${prefix}comment">Comment <span class="muted">why, for whoever comes next</span></label>
<input id="${prefix}comment" name="comment" value="${typed.comment}" required maxlength="500" autocomplete="off">`
}

function renderMatched(title: string, matched: MatchedAlerts): Html {
  const shown = new Map([...matched.first, ...matched.largest].map((alert) => [alert.id, alert]))
  return html`<div class="matched"><p>${title}: <strong>${sayMatched(matched)}</strong></p>${
    shown.size === 0
      ? ''
      : html`<ul>${[...shown.values()]
          .slice(0, 8)
          .map(
            ({ id, rule, severity, about, amount }) =>
              html`<li>${renderTag(severity, severity)} <a href="${toAlertPath(id)}">${cleanText(rule, 100)}</a> ${amount === null ? '' : html`<strong>${cleanText(amount, 120)}</strong> `}<span class="muted">${shortenHashes(cleanText(about, 300))}</span></li>`,
          )}</ul>`
  }</div>`
}

function renderRules({ rules, count }: MatchedAlerts): Html | '' {
  if (rules.length < 2) return ''
  return html`<p class="muted">By rule: ${rules.map(({ rule, kind, count: each }) => `${each} ${cleanText(rule, 100)} (${cleanText(kind, 100)})`).join(', ')}; ${count} in all.</p>`
}
