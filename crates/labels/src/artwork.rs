//! Pages of warehouse papers: black items as on a label, and what is in colour below them, which only PDF has.

use crate::brand::Logo;
use crate::draw::Setting;
use crate::scene::{Rect, Scene, snap};
use std::sync::Arc;

/// The grey of rules between rows, and of the areas behind headings.
const RULE_GREY: [u8; 3] = [190; 3];
const HEADING_GREY: [u8; 3] = [236; 3];
/// The thickness of a rule between rows, in millimetres.
const RULE: f32 = 0.25;

/// Something in colour.
#[derive(Debug, Clone)]
pub(crate) enum Art {
    Tint(Rect, [u8; 3]),
    Logo(Rect, Arc<Logo>),
}

/// A page.
pub(crate) struct Sheet {
    pub scene: Scene,
    pub art: Vec<Art>,
}

impl Sheet {
    /// Draws a light rule.
    pub fn rule(&mut self, x: f32, y: f32, width: f32) {
        self.art.push(Art::Tint(Rect::new(x, snap(y), width, RULE), RULE_GREY));
    }

    /// Draws the area behind a heading.
    pub fn shade(&mut self, area: Rect) {
        self.art.push(Art::Tint(area, HEADING_GREY));
    }

    /// Draws a text from the top of its area, wrapped, and cut where the area ends.
    pub fn wrapped(&mut self, area: Rect, text: &str, setting: Setting) {
        self.scene.block(area, &[text.to_owned()], |_| false, setting);
    }

    /// Draws the logo at the left of its area, as large as it fits.
    pub fn logo(&mut self, area: Rect, logo: &Arc<Logo>) {
        let ratio = logo.width as f32 / logo.height as f32;
        let width = area.width.min(area.height * ratio);
        self.art.push(Art::Logo(Rect::new(area.x, area.y, width, width / ratio), Arc::clone(logo)));
    }
}
