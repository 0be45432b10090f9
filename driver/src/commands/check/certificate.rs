//! The evidence of a proof, written down, and checked if that is wanted.

use super::Command;
use super::decide::{End, Run};
use crate::certificate;
use crate::report::Proved;
use crate::turns::Turns;
use cegar::Evidence;
use cli::Verdict;
use ir::CheckId;
use results::again::{self, Claim};

impl Run<'_, '_> {
    /// Writes the certificate down, and checks it if that is wanted. It is about the checks that facts decide, too.
    pub(super) fn certified(&mut self, proof: cegar::Proof) -> Result<Proved, End> {
        let held: Vec<CheckId> = self.task.facts.held().map(|(c, _)| c).collect();
        held.iter().for_each(|check| self.task.unmask(*check));
        let mut proved = self.certificate_of(proof);
        let Command { options, session, interrupt, .. } = self.command;
        if options.certify
            && let Ok(Proved { certified: Some((text, found)), .. }) = &mut proved
            && let Some((same, more)) = certificate::held_again(self.task, (session.stop(), interrupt))
        {
            text.push_str(&more);
            found.held = Some(same);
            if !same {
                session.add_stats([("certified", "no".to_owned())]);
            }
        }
        held.iter().for_each(|check| self.task.mask(*check));
        proved
    }

    fn certificate_of(&mut self, proof: cegar::Proof) -> Result<Proved, End> {
        let Command { options, session, interrupt, pool, .. } = self.command;
        let work = (session.stop().as_ref(), *interrupt);
        let told_again =
            |same: &bool| session.add_stats([("certified", if *same { "yes" } else { "no" }.to_owned())]);
        let certify = options.certify && !matches!(proof.evidence, Evidence::Abstraction(None));
        if certify {
            session.doing("the certificate");
        }
        let (claim, certified) = match &proof.evidence {
            Evidence::Abstraction(None) => (None, None),
            Evidence::Abstraction(Some(made)) => {
                let found = certify.then(|| pool.install(|| certificate::check(self.task, made, interrupt)));
                let told = found.map(|found| {
                    session.add_stats(certificate::stats(&found));
                    let text = certificate::text(self.task, &found);
                    match found.refuted() {
                        // What follows from a wrong proof is not reported.
                        Some(_) => Err(text),
                        None => Ok((text, certificate::found(self.task, &found))),
                    }
                });
                let told = told.transpose().map_err(|text| {
                    self.log.error(text.trim_end());
                    End::Refused(Verdict::Internal)
                })?;
                (Some(certificate::sets(self.task, made)), told)
            }
            Evidence::Unrolled(covered) => {
                let turns = Turns::of(covered);
                let same = certify.then(|| turns.suffice(self.task, work));
                let told = same.inspect(told_again).map(|same| turns.certified(same));
                (Some(Claim::Unrolled(again::Turns { turns: turns.0 })), told)
            }
            Evidence::Inductive(inductive) => {
                let same = certify.then(|| inductive.proved(&self.task.for_loop(), work).1);
                let told = same.inspect(told_again).map(|same| certificate::inductive_again(inductive, same));
                (Some(Claim::Inductive(certificate::induction(self.task, inductive))), told)
            }
        };
        let written = claim.map(|claim| certificate::write(self.task, claim));
        Ok(Proved { proof, written, certified })
    }
}
