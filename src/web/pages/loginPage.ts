import { html } from 'hono/html'
import type { FormContext } from '../createFormGate.ts'
import { renderHidden } from './formParts.ts'
import { renderLayout, type Site } from './layout.ts'
import type { Html } from './words.ts'

export interface LoginView {
  readonly next: string
  readonly problem: string | null
  readonly proof: string
  readonly site?: Site | undefined
}

/** The form that asks for the token. */
export function renderLoginPage({ next, problem, proof, site }: LoginView): Html {
  return renderLayout({
    title: 'Sign in',
    active: null,
    live: false,
    site,
    main: html`<form class="card login" method="post" action="/login">
<h1>Sign in</h1>
<p class="muted">This page needs the token of <code>http.token</code> in the configuration, or that of <code>http.readToken</code> to look only.</p>
${problem === null ? '' : html`<p class="problem" role="alert" id="problem">${problem}</p>`}
<input type="text" name="username" value="spanwatch" autocomplete="username" hidden>
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus${problem === null ? '' : html` aria-invalid="true" aria-describedby="problem"`}>
${renderHidden({ proof }, { next })}
<button class="primary">Sign in</button>
</form>`,
  })
}

/** Who is signed in, and the way out; nothing where no token is asked for. */
export function renderSignedIn(form: FormContext): Html | '' {
  if (form.role === null) return ''
  const may = form.role === 'act' ? 'look and act' : 'look only'
  return html`<form class="actions" method="post" action="/logout"><span class="muted">Signed in: you may ${may}.</span>${renderHidden(form)}<button class="small">Sign out</button></form>`
}
