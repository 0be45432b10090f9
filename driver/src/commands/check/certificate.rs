//! The evidence of a proof, written down, and checked if that is wanted.

use super::Command;
use crate::certificate;
use crate::report::Certificate;
use cli::Verdict;
use cli::process::Sink;
use results::again::{self, Claim};
use results::proof::Certified;
use verify::cegar::{Evidence, Proof, Subject};
use verify::{Assumptions, Checks, Only, Task, Turns};

impl Command<'_> {
    /// The certificate that no check fails.
    ///
    /// # Errors
    /// The verdict of a proof that is wrong; its flaw is written to standard error.
    pub(super) fn certificate(
        &self,
        task: &Task,
        proof: &Proof,
        stderr: &mut Sink<'_>,
    ) -> Result<Certificate, Verdict> {
        let granted = task.granted();
        let mut made = self.certificate_of(task, &granted, proof, stderr)?;
        let limits = (self.session.stop().as_ref(), self.interrupt);
        if self.options.certify
            && let Some((text, found)) = &mut made.checked
            && let Some((checks, same)) = task.held_again(limits)
        {
            text.push_str(&certificate::held(checks, same));
            found.held = Some(same);
            if !same {
                self.session.add_stats([("certified", "no".to_owned())]);
            }
        }
        Ok(made)
    }

    fn certificate_of(
        &self,
        task: &Task,
        granted: &Assumptions,
        proof: &Proof,
        stderr: &mut Sink<'_>,
    ) -> Result<Certificate, Verdict> {
        let Command { options, session, interrupt, pool, .. } = self;
        let (subject, work) = (task.under(granted), (session.stop().as_ref(), *interrupt));
        let certify = options.certify && !matches!(proof.evidence, Evidence::Abstraction(None));
        if certify {
            session.doing("the certificate");
        }
        let (claim, checked) = match &proof.evidence {
            Evidence::Abstraction(None) => return Ok(Certificate::default()),
            Evidence::Abstraction(Some(made)) => {
                let checked = match certify {
                    true => Some(self.checked(task, &subject, made, stderr)?),
                    false => None,
                };
                (certificate::sets(task, made), checked)
            }
            Evidence::Unrolled(covered) => {
                let turns = Turns::of(covered);
                let again = || pool.install(|| turns.suffice(&subject, work));
                let checked =
                    certify.then(again).map(|same| self.repeated(same, certificate::followed(same)));
                (Claim::Unrolled(again::Turns { turns: turns.0 }), checked)
            }
            Evidence::Inductive(inductive) => {
                let again = || pool.install(|| inductive.proved(&subject, work).1);
                let told = |same| self.repeated(same, certificate::inductive_again(inductive, same));
                let checked = certify.then(again).map(told);
                (Claim::Inductive(certificate::induction(task, inductive)), checked)
            }
        };
        let written = certificate::write(task, granted, &task.inductive, claim);
        Ok(Certificate { written: Some(written), checked })
    }

    /// Checks sets of states.
    fn checked(
        &self,
        task: &Task,
        subject: &Subject<'_>,
        made: &certificate::Certificate,
        stderr: &mut Sink<'_>,
    ) -> Result<(String, Certified), Verdict> {
        let found = self.pool.install(|| verify::recheck::sets(subject, made, self.interrupt));
        self.session.add_stats(certificate::stats(&found));
        let text = certificate::text(task, &found);
        if found.refuted().is_some() {
            // What follows from a wrong proof is not reported.
            self.log(stderr).error(text.trim_end());
            return Err(Verdict::Internal);
        }
        Ok((text, certificate::found(task, &found)))
    }

    fn repeated(&self, same: bool, told: (String, Certified)) -> (String, Certified) {
        self.session.add_stats([("certified", if same { "yes" } else { "no" }.to_owned())]);
        told
    }

    /// The certificate of the only execution. It depends on nothing that was found out later.
    pub(super) fn certificate_of_execution(&self, task: &Task, checks: &Checks, only: Only) -> Certificate {
        let granted = Assumptions::of(checks.left_out.iter().copied().collect());
        let claim = Claim::Execution(again::Only { steps: only.steps });
        let written = Some(certificate::write(task, &granted, &[], claim));
        let again = || Only::again(task, task.under(&granted), self.session.stop()) == Some(only);
        let checked = self.options.certify.then(|| certificate::repeated(again()));
        Certificate { written, checked }
    }
}
