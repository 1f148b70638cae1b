//! Documents are found by id and by subject, oldest first, and only by their owner.

use model::shipping::document::DocumentType;
use model::{Id, Timestamp};
use store::shipping::documents::{self, StoredDocument, StoredFile};

use crate::fresh::{Engine, Fresh, owner};

fn file(number: u128) -> StoredFile {
    StoredFile {
        id: Id::from_bits(number),
        r#type: DocumentType::CommercialInvoice,
        file_name: "Rechnung für „Ø“.pdf".to_owned(),
        file_type: "application/pdf".to_owned(),
        file_size: 5_000_000_000,
        place: format!("somewhere/{number}"),
        package: Some(2).filter(|_| number > 3),
    }
}

fn numbers(documents: &[StoredDocument]) -> Vec<(&str, u128)> {
    documents.iter().map(|document| (document.subject.as_str(), document.file.id.bits())).collect()
}

async fn documents_are_found_in_order(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    let now = Timestamp::from_micros(1_793_523_600_000_001);
    for (who, subject, number) in [(1, "shp_b", 3), (1, "shp_b", 2), (1, "shp_a", 4), (2, "shp_b", 5)] {
        let write = db.write(owner(who), async move |tx| {
            documents::insert(tx, owner(who), subject, &file(number), now).await
        });
        let kept = write.await.unwrap();
        assert_eq!((kept.subject.as_str(), kept.created_at, kept.updated_at), (subject, now, now));
        let read =
            db.read(owner(who), async move |tx| documents::find(tx, owner(who), Id::from_bits(number)).await);
        assert_eq!(read.await.unwrap(), Some(kept));
    }

    let read = db.read(owner(1), async |tx| {
        let one = documents::of_subject(tx, owner(1), "shp_b").await?;
        let subjects = ["shp_b", "shp_a", "shp_\"[]"].map(str::to_owned);
        let several = documents::of_subjects(tx, owner(1), &subjects).await?;
        let none = documents::of_subjects(tx, owner(1), &[]).await?;
        let strange = documents::find(tx, owner(1), Id::from_bits(5)).await?;
        Ok((one, several, none, strange))
    });
    let (one, several, none, strange) = read.await.unwrap();
    assert_eq!(numbers(&one), [("shp_b", 2), ("shp_b", 3)]);
    assert_eq!(numbers(&several), [("shp_a", 4), ("shp_b", 2), ("shp_b", 3)]);
    assert_eq!((none, strange), (Vec::new(), None));

    let delete = db.write(owner(1), async |tx| documents::delete_of_subject(tx, owner(1), "shp_b").await);
    assert_eq!(delete.await.unwrap(), 2);
    let left = async |who: u128| {
        let subjects = ["shp_a", "shp_b"].map(str::to_owned);
        let read =
            db.read(owner(who), async move |tx| documents::of_subjects(tx, owner(who), &subjects).await);
        read.await.unwrap().len()
    };
    assert_eq!((left(1).await, left(2).await), (1, 1));
}

on_both_engines!(documents_are_found_in_order);
